#include "depscope/base/string_pool.h"

#include <gtest/gtest.h>

#include <string>

namespace depscope {
namespace {

TEST(StringPool, EqualTextHasEqualId) {
  StringPool pool;
  const NameId a = pool.intern("alpha");
  const NameId b = pool.intern("beta");
  EXPECT_NE(a, b);
  EXPECT_EQ(pool.intern(std::string("al") + "pha"), a);
  EXPECT_EQ(pool.text(a), "alpha");
  EXPECT_EQ(pool.find("beta"), b);
  EXPECT_FALSE(pool.find("gamma").valid());
}

TEST(StringPool, IdZeroIsTheEmptyString) {
  StringPool pool;
  EXPECT_EQ(pool.size(), 1U);
  EXPECT_EQ(pool.intern(""), NameId(0));
  EXPECT_EQ(pool.text(NameId(0)), "");
}

TEST(StringPool, IdsAreDenseAndInOrderOfFirstUse) {
  StringPool pool;
  for (std::uint32_t i = 1; i <= 100000; ++i) ASSERT_EQ(pool.intern("name" + std::to_string(i)), NameId(i));
  for (std::uint32_t i = 1; i <= 100000; ++i) ASSERT_EQ(pool.find("name" + std::to_string(i)), NameId(i));
  EXPECT_EQ(pool.size(), 100001U);
}

TEST(StringPool, ViewsStayValid) {
  StringPool pool;
  const std::string_view small = pool.text(pool.intern("small"));
  const std::string large(std::size_t{1} << 20U, 'x');
  const NameId big = pool.intern(large);
  for (int i = 0; i < 50000; ++i) pool.intern("filler" + std::to_string(i));
  EXPECT_EQ(small, "small");
  EXPECT_EQ(pool.text(big), large);
  StringPool moved = std::move(pool);
  EXPECT_EQ(small, "small");
  EXPECT_EQ(moved.find("small"), NameId(1));
}

TEST(StringPool, AnyBytes) {
  StringPool pool;
  const std::string with_nul("a\0b", 3);
  const NameId id = pool.intern(with_nul);
  EXPECT_NE(id, pool.intern("a"));
  EXPECT_EQ(pool.text(id), with_nul);
  EXPECT_NE(pool.intern("\xff\xfe"), pool.intern("\xff"));
}

TEST(Ids, NoneIsInvalid) {
  EXPECT_FALSE(NameId().valid());
  EXPECT_TRUE(NameId(0).valid());
  EXPECT_LT(NameId(1), NameId(2));
  EXPECT_FALSE(Span{}.known());
  EXPECT_TRUE((Span{0, 1}.known()));
  EXPECT_TRUE(Range{}.empty());
}

}  // namespace
}  // namespace depscope
