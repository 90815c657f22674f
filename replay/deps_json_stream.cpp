#include "depscope/replay/deps_json_stream.h"

#include <algorithm>
#include <string>

#include "deps_json_text.h"
#include "depscope/base/growing_table.h"
#include "id_table.h"
#include "row_table.h"

namespace depscope::replay {

using runtime::AccessRow;
using runtime::ArgKind;
using runtime::ElementType;
using runtime::kNoRow;
using runtime::TensorDescriptor;

struct DepsJsonStream::State {
  State(const TextOutput& output, DepsFaults writer_faults) : text(output), faults(writer_faults) { text.put("{\"tasks\":["); }

  /// An access, as edges speak of it.
  struct Access {
    std::uint64_t start_offset = 0;
    std::uint32_t tensor = kNoRow, geometry = 0;
    ElementType dtype = ElementType::Unknown;
  };
  /// Millions of these are kept until the end, so they say no more than the file needs.
  struct Edge {
    std::uint32_t pred = 0, succ = 0;                  // tasks rows
    std::uint32_t written = kNoRow;                    // the producer's access; kNoRow if there is none
    std::uint32_t tensor = kNoRow, geometry = kNoRow;  // of the consumer's access; kNoRow if there is none
    std::int8_t arg = -1;
    ElementType dtype = ElementType::Unknown;  // of the consumer's access, as start_offset
    std::uint8_t source = 0;
    std::uint8_t flags : 4 = 0, overlap : 4 = 0;
    std::uint64_t start_offset = 0;
  };
  struct Tensor {
    std::uint64_t id = 0, address = 0, elements = 0;
    std::int32_t version = 0;
    ElementType dtype = ElementType::Unknown;
  };
  struct Geometry {
    TensorDescriptor of;  // rank, shape and strides count
    GeometryText text;
  };

  std::uint32_t geometry(const TensorDescriptor& t);
  std::uint32_t meet(const TensorDescriptor& t);
  [[nodiscard]] DepsPlace place(std::uint32_t geometry, std::uint64_t start_offset) const {
    return {geometries[geometry].text.shape, geometries[geometry].text.strides, start_offset};
  }
  void end_task() {
    if (open) text.put("]}");
    open = false;
  }

  DepsText text;
  DepsFaults faults;
  GrowingTable<std::uint64_t> ids;  // by tasks row
  bool first_task = true, open = false, first_argument = true;

  std::vector<Access> current;  // of the task that came last, by argument row
  std::uint32_t first_access = 0, accesses = 0;
  GrowingTable<std::uint32_t> writes;  // by accesses row: row of `written`, kNoRow if it registers nothing
  GrowingTable<Access> written;
  std::vector<runtime::EdgeRow> pairs;  // of the task that came last
  std::vector<std::uint8_t> said;       // by pair, flags that rows have said
  std::uint32_t first_edge = 0, edge_rows = 0;
  GrowingTable<Edge> edges;

  GrowingTable<Tensor> tensors;
  RowTable known_tensors;  // by address and version
  std::vector<Geometry> geometries;
  IdTable known_geometries;  // by hash, and how many there are of the same
  std::uint32_t last_geometry = kNoRow;
};

namespace {

bool same_geometry(const TensorDescriptor& a, const TensorDescriptor& b) {
  return a.rank == b.rank && std::equal(a.shape.begin(), a.shape.begin() + a.rank, b.shape.begin()) &&
         std::equal(a.strides.begin(), a.strides.begin() + a.rank, b.strides.begin());
}

std::uint64_t hash_of(std::uint64_t address, std::int32_t version) {
  const std::uint64_t hash = (address + (std::uint64_t{static_cast<std::uint32_t>(version)} << 48U)) * 0x9E3779B97F4A7C15ULL;
  return hash ^ hash >> 29U;
}

std::uint64_t hash_of(const TensorDescriptor& t) {
  std::uint64_t hash = t.rank;
  const auto mix = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 32U;
  };
  for (std::uint32_t i = 0; i < t.rank; ++i) {
    mix(t.shape[i]);
    mix(t.strides[i]);
  }
  return hash;
}

}  // namespace

std::uint32_t DepsJsonStream::State::geometry(const TensorDescriptor& t) {
  if (last_geometry != kNoRow && same_geometry(geometries[last_geometry].of, t)) return last_geometry;
  const std::uint64_t hash = hash_of(t);
  const auto next = static_cast<std::uint32_t>(geometries.size());
  for (std::uint32_t same = 0;; ++same) {
    last_geometry = known_geometries.find_or_add(hash, same, next);
    if (last_geometry == next) break;
    if (same_geometry(geometries[last_geometry].of, t)) return last_geometry;
  }
  Geometry fresh;
  fresh.of = t;
  for (std::uint32_t i = 0; i < t.rank; ++i) fresh.text.add(t.shape[i], t.strides[i]);
  fresh.text.end();
  geometries.push_back(std::move(fresh));
  return next;
}

std::uint32_t DepsJsonStream::State::meet(const TensorDescriptor& t) {
  const auto next = static_cast<std::uint32_t>(tensors.size());
  const auto same = [&](std::uint32_t row) { return tensors[row].address == t.address && tensors[row].version == t.version; };
  const std::uint32_t row = known_tensors.find_or_add(hash_of(t.address, t.version), next, same);
  if (row == next) tensors.push_back({tensor_id(t.address, t.version), t.address, t.buffer_elements, t.version, t.dtype});
  return row;
}

DepsJsonStream::DepsJsonStream(const TextOutput& output, DepsFaults faults) : state_(std::make_unique<State>(output, faults)) {}

DepsJsonStream::~DepsJsonStream() = default;

void DepsJsonStream::task(const runtime::TaskRow& row, const std::vector<std::uint32_t>&) {
  State& s = *state_;
  s.end_task();
  s.ids.push_back(row.id);
  s.current.clear();
  s.first_access = s.accesses;
  if (row.kind == runtime::TaskKind::Alloc) return;
  s.text.item(s.first_task);
  s.text.begin_task(row.id, row.manual_scope, row.early_dispatch, row.kernel_ids, row.block_num);
  s.open = s.first_argument = true;
}

void DepsJsonStream::access(const AccessRow& row) {
  State& s = *state_;
  ++s.accesses;
  const TensorDescriptor& t = row.tensor;
  State::Access access;
  if (row.kind != ArgKind::Output) access = {t.start_offset, s.meet(t), s.geometry(t), t.dtype};
  s.current.push_back(access);
  const bool registered = row.kind == ArgKind::InOut || row.kind == ArgKind::OutputExisting;
  s.writes.push_back(registered ? static_cast<std::uint32_t>(s.written.size()) : kNoRow);
  if (registered) s.written.push_back(access);
  if (!s.open) return;
  const std::string_view type =
      row.kind == ArgKind::NoDep && s.faults.no_dep_unknown ? std::string_view("UNKNOWN") : arg_kind_name(row.kind);
  s.text.begin_argument(s.first_argument, row.arg, type);
  s.first_argument = false;
  if (row.kind != ArgKind::Output) {
    s.text.accessed(s.tensors[access.tensor].id, element_type_name(t.dtype), s.place(access.geometry, t.start_offset));
  }
  s.text.put("}");
}

void DepsJsonStream::edge(const runtime::EdgeRow& row) {
  State& s = *state_;
  if (s.pairs.empty() || s.pairs.back().consumer != row.consumer) {
    s.pairs.clear();
    s.said.clear();
    s.first_edge = s.edge_rows;
  }
  ++s.edge_rows;
  s.pairs.push_back(row);
  s.said.push_back(0);
}

void DepsJsonStream::edge_reason(const runtime::EdgeReasonRow& row) {
  State& s = *state_;
  const std::uint32_t position = row.edge - s.first_edge;
  bool adds = false;
  if (!s.faults.retain_lost) {
    adds = (row.flags & ~unsigned{s.said[position]}) != 0;
    s.said[position] |= row.flags;
  }
  if (!row.replay_row && !adds) return;
  State::Edge e;
  e.pred = s.pairs[position].producer;
  e.succ = s.pairs[position].consumer;
  e.arg = row.arg;
  e.source = row.source;
  e.flags = row.flags & runtime::kWaitRetain;
  e.overlap = row.overlap & 3U;
  if (row.consumer_access != kNoRow) {
    const State::Access& read = s.current[row.consumer_access - s.first_access];
    e.tensor = read.tensor;
    e.geometry = read.geometry;
    e.dtype = read.dtype;
    e.start_offset = read.start_offset;
  }
  if (row.producer_access != kNoRow) e.written = s.writes[row.producer_access];
  s.edges.push_back(e);
}

void DepsJsonStream::finish() {
  State& s = *state_;
  s.end_task();
  s.text.put("],\"tensors\":[");
  bool first = true;
  for (const State::Tensor& t : s.tensors) {
    s.text.item(first);
    s.text.tensor(t.id, t.address, t.version, t.dtype, t.elements);
  }
  s.text.put("],\"edges\":[");
  first = true;
  for (const State::Edge& e : s.edges) {
    DepsEdgeRow row;
    row.pred = s.ids[e.pred];
    row.succ = s.ids[e.succ];
    row.arg = e.arg;
    row.source = e.source;
    row.flags = e.flags;
    row.overlap = e.overlap;
    row.reads = e.tensor != kNoRow;
    row.writes = e.written != kNoRow;
    row.dtype = element_type_name(e.dtype);
    if (row.reads) {
      row.tensor_id = s.tensors[e.tensor].id;
      row.consumer = s.place(e.geometry, e.start_offset);
    }
    if (row.writes) {
      const State::Access& written = s.written[e.written];
      row.tensor_id = s.tensors[written.tensor].id;
      row.producer = s.place(written.geometry, written.start_offset);
    }
    s.text.item(first);
    s.text.edge(row);
  }
  s.text.put("]}\n");
  s.text.flush();
}

}  // namespace depscope::replay
