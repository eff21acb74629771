# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every public name has a comment: python3 documented.py SOURCE_DIRECTORY

A name is public if a public header declares it in a namespace for people (cmake/docs/headers.py has the lists). A class
speaks for its constructors and operators, and operator_traits.hpp for what operators have for the engines.
"""
import pathlib
import sys

source = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(source / "cmake" / "docs"))
import headers  # noqa: E402


def undocumented(path):
    declarations = [one for one in headers.declarations(path) if one.needs_comment]
    return [f"  {path}:{one.line}: {one.kind} {one.name}" for one in declarations if not one.comment], len(declarations)


# The check itself is checked: these two have no comment, and the rest need none or have one.
example = pathlib.Path(sys.argv[2])
example.mkdir(parents=True, exist_ok=True)
mistaken = example / "mistaken.hpp"
mistaken.write_text("""
namespace warpfold {
namespace detail { struct hidden { int item; }; }
/// One.
template <class T>
  requires(sizeof(T) > 1)
void with_a_comment(T) {}
template <class T> requires detail::small<T> void without_a_comment(T) {}
/// A class.
struct type {
  type(int);
  int first;  ///< has one
  int second = {};
 private:
  int third;
};
inline constexpr int number = 1;  ///< one
/// A concept.
template <class T> concept thing = requires(T t) { t.a(); } && requires(T t) { t.b(); };
template <> struct identity<type> {};
}  // namespace warpfold
namespace warpfold::host_side { void not_for_people(); }
""")
found, count = undocumented(mistaken)
names = [line.split()[-1] for line in found]
assert names == ["warpfold::without_a_comment", "warpfold::type::second"] and count == 7, (names, count)

mistakes, total = [], 0
for header in headers.public_headers(source / "include"):
    some, count = undocumented(header)
    mistakes += some
    total += count
if mistakes or total < 400:
    sys.exit(f"{total} public names, of which these have no comment:\n" + "\n".join(mistakes))
print(f"{total} public names, all with a comment")
