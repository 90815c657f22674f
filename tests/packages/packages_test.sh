#!/bin/sh
# The Debian packages of a build directory: made, looked at, installed into an empty root, and used from there.
#   packages_test.sh BUILD_DIRECTORY [with-window]
set -eu
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() {
  echo "packages: $*" >&2
  exit 1
}
for tool in cpack dpkg dpkg-deb dpkg-shlibdeps readelf file; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool here"; exit 77; }
done

cpack --config "$build/CPackConfig.cmake" -G DEB -B out >log 2>&1 || { cat log; fail "cpack failed"; }
headless=$(echo out/depscope_*.deb)
packages=$headless
[ "${2:-}" = with-window ] && packages="$headless $(echo out/depscope-view_*.deb)"
for package in $packages; do [ -f "$package" ] || fail "there is no $package"; done

# The terminal needs neither a display nor a graphics card.
depends=$(dpkg-deb -f "$headless" Depends)
case $depends in
*libx11* | *libxcb* | *libgl* | *libegl* | *glfw* | *imgui* | *wayland*) fail "depscope depends on $depends" ;;
*libc6*) ;;
*) fail "depscope does not say which libraries it needs: $depends" ;;
esac
if [ "${2:-}" = with-window ]; then
  version=$(dpkg-deb -f "$headless" Version)
  case $(dpkg-deb -f out/depscope-view_*.deb Depends) in
  *"depscope (= $version)"*) ;;
  *) fail "depscope-view does not ask for depscope $version" ;;
  esac
fi

mkdir -p root/var/lib/dpkg/updates root/var/lib/dpkg/info
: >root/var/lib/dpkg/status
# What they depend on is on this machine, not in the empty root.
dpkg --root="$folder/root" --force-not-root --force-depends --log="$folder/dpkg.log" -i $packages >log 2>&1 || { cat log; fail "dpkg -i failed"; }
dpkg-deb -c "$headless" | awk '$2 != "root/root" { exit 1 }' || fail "a file does not belong to root"

program=$folder/root/usr/bin/depscope
readelf -d "$program" | grep -qE 'RPATH|RUNPATH' && fail "the program looks for libraries in the build directory"
file "$program" | grep -q 'not stripped' && fail "the program is not stripped"
ldd "$program" | grep -qiE 'x11|xcb|libgl|egl|glfw|imgui|wayland' && fail "the program loads a library of the display"
"$program" run "$folder/root/usr/share/depscope/samples/02_softmax_tiles.py" -o r.depscope >text || fail "the program does not run"
grep -q '^recording: r.depscope$' text || fail "it wrote no recording"
"$program" --version | grep -q "^depscope $(dpkg-deb -f "$headless" Version)$" || fail "package and program have different versions"

for document in copyright README.md docs/import.md; do
  [ -s "root/usr/share/doc/depscope/$document" ] || fail "$document is missing"
done
if command -v man >/dev/null; then
  for page in root/usr/share/man/man1/*.1.gz; do
    MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 "$page" >page.txt 2>warnings || fail "man cannot read $page"
    [ ! -s warnings ] || { cat warnings; fail "man warns of $page"; }
  done
fi

# What bash offers, as it would for a person who presses Tab.
offered() {
  bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _depscope; printf "%s\n" "${COMPREPLY[@]}"' \
    root/usr/share/bash-completion/completions/depscope "$@" | sort | tr '\n' ' '
}
[ "$(offered depscope ch)" = "check " ] || fail "completion of a command: $(offered depscope ch)"
[ "$(offered depscope run --platform '')" = "a2a3 a5 " ] || fail "completion of a word: $(offered depscope run --platform '')"
[ "$(offered depscope run --platform = a5)" = "a5 " ] || fail "completion behind a sign"
[ "$(offered depscope export --format p)" = "perfetto " ] || fail "completion of a format"
touch 'my run.depscope'
[ "$(offered depscope replay my)" = "my run.depscope " ] || fail "completion of a name with a blank: $(offered depscope replay my)"
case $(offered depscope import --j) in *--json*) ;; *) fail "completion of an option" ;; esac
echo "packages: $packages are right"
