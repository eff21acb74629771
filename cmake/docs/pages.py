# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what Doxygen reads: python3 pages.py SOURCE_DIRECTORY STAGE_DIRECTORY SITE_DIRECTORY
Mends what it has made:   python3 pages.py SITE_DIRECTORY

- reference/: the public headers, by reference.py.
- pages/: the task pages, from the programs in examples/tasks; and all Markdown pages that one can reach from the start
  page. Their links lead to pages of the site, or to copies of the files that they name.
"""
import pathlib
import posixpath
import re
import shutil
import sys

import reference

START = "cmake/docs/index.md"
# Pages below which others stand in the site's tree: those that their lists name. The last one takes what is left.
LISTS = ["cmake/docs/tasks.md", "cmake/docs/performance.md", "cmake/docs/more.md"]
TOP = [START, LISTS[0], "include/warpfold/GUARANTEES.md", *LISTS[1:]]  # the tree's first level, in order


TASK = """# {title}
{text}

## The program

```cpp
{code}```

## What it prints

```
{output}```

To build it: `nvcc -std=c++20 -O3 -arch=native -I include -I examples {name}`.
"""
DEVICE_ARRAY = "In it, [device_array](/examples/common/device.cuh) is an array in device memory.\n"


def slug(heading):
    """The anchor that a heading has on the web."""
    heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def page_id(path):
    name = re.sub(r"(/README)?\.md$", "", path.removeprefix("cmake/docs/"))
    return "page_" + re.sub(r"\W", "_", name).strip("_").lower()


class Pages:
    def __init__(self, source, stage, site, of_headers):
        self.source, self.stage, self.site, self.of_headers = source, stage, site, of_headers
        self.todo, self.made, self.images, self.listed, self.titles = [], set(), set(), set(), {}
        (stage / "pages").mkdir()

    def copy(self, path):
        """A copy of a file, or a list of a folder's files, that a browser shows. Returns its place on the site."""
        place = pathlib.PurePosixPath("source") / (path.strip("/") + ".txt")
        to = self.site / place
        to.parent.mkdir(parents=True, exist_ok=True)
        given = self.source / path
        if given.is_dir():
            to.write_text("".join(sorted(f"{path.strip('/')}/{p.name}\n" for p in given.iterdir())))
        else:
            shutil.copyfile(given, to)
        return place.as_posix()

    def link(self, base, is_image, text, target):
        if re.match(r"[a-z]+:", target):
            return f"[{text}]({target})"
        target, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(base), target)).lstrip("/") if target else base
        if (self.source / path).is_dir() and (self.source / path / "README.md").exists():
            path += "/README.md"
        if is_image:
            self.images.add(path)
            return f'\n@image html {posixpath.basename(path)} "{text}"\n'
        if path.endswith(".md") and (self.source / path).exists():
            self.add(path)
            name = page_id(path) + ("_" + re.sub(r"\W", "_", anchor) if anchor else "")
            return f"[{text}](@ref {name})"
        if path in self.of_headers:
            return f"[{text}](@ref {self.of_headers[path]})"
        if path.startswith("examples/tasks/") and path.endswith(".cu"):
            return f"[{text}](@ref page_task_{pathlib.PurePosixPath(path).stem})"
        if not (self.source / path).exists():
            sys.exit(f"pages.py: {base} links to {path}, which does not exist")
        return f"[{text}]({self.copy(path)})"

    def add(self, path):
        if path not in self.made:
            self.made.add(path)
            self.todo.append(path)

    def page(self, path, text):
        out, in_code, labels = [], False, []
        for line in text.split("\n"):
            include = re.fullmatch(r"<!-- include: (\S+) -->", line)
            if line.startswith("```"):
                in_code = not in_code
            elif include and not in_code:
                line = listing(self.source / posixpath.dirname(path) / include.group(1))
            elif not in_code and not line.startswith("    "):
                line = self.prose(path, line, labels)
            out.append(line)
        self.file(path).write_text("\n".join(out) + "\n")

    def prose(self, path, line, labels):
        """A line outside code. `labels` are those of the headings before it."""
        heading = re.match(r"(#+) (.*)", line)
        if heading:
            line = self.heading(path, heading.group(1), heading.group(2), labels)
        if line.startswith("|"):
            line = table_line(line)
        line = reference.outside_code(line, lambda piece: piece)
        line = re.sub(r"(!?)\[([^]]*)\]\(([^) ]+)\)",
                      lambda m: self.link(path, m.group(1) == "!", m.group(2), m.group(3)), line)
        if path in LISTS:
            line = re.sub(r"\[([^]]*)\]\(@ref (page_\w+)\)", self.subpage, line)
        return line

    @staticmethod
    def heading(path, level, text, labels):
        """A heading with a label, which has the anchor that it has on the web."""
        label = page_id(path) + ("_" + re.sub(r"\W", "_", slug(text)) if labels else "")
        labels.append(label)
        if len(labels) > 1 and path in TOP[:2]:
            return f"<h2>{text}</h2>"  # which is no place in the tree
        if labels.count(label) > 1:
            label += f"_{labels.count(label) - 1}"
        return f"{level} {text} {{#{'mainpage' if path == START else label}}}"

    def file(self, path):
        """Doxygen lists pages by the names of their files."""
        return self.stage / "pages" / f"{TOP.index(path) if path in TOP else 9}_{page_id(path)}.md"

    def subpage(self, match):
        if match.group(2) in self.listed:
            return match.group()
        self.listed.add(match.group(2))
        return f'@subpage {match.group(2)} "{match.group(1)}"'

    def tasks(self):
        """A page for each program in examples/tasks."""
        for program in sorted((self.source / "examples/tasks").glob("*.cu")):
            text = program.read_text()
            title, _, body = reference.head_comment(text).partition("\n")
            code = text[text.index("#include"):]
            name = "examples/tasks/" + program.name
            output = program.with_suffix(".txt").read_text()
            page = f"task/{program.stem}.md"
            text = TASK.format(title=title, text=body.strip(), code=code, output=output, name=name)
            self.page(page, text + (DEVICE_ARRAY if "device_array" in code else ""))
            self.titles[page_id(page)] = title

    def write(self):
        self.tasks()
        for path in TOP:
            self.add(path)
        while self.todo:
            path = self.todo.pop(0)
            text = (self.source / path).read_text()
            if path == "README.md":  # whose title is that of the start page
                text = text.replace("# Warpfold", "# README", 1)
            self.titles[page_id(path)] = re.search(r"^# (.*)", text, re.M).group(1)
            self.page(path, text)
        tasks = sorted(name for name in self.titles if name.startswith("page_task_") and name not in self.listed)
        if tasks:
            sys.exit(f"pages.py: {LISTS[0]} does not list " + " ".join(tasks))
        rest = [name for name in self.titles if name not in self.listed | {page_id(path) for path in TOP}]
        with open(self.file(LISTS[-1]), "a") as more:
            more.writelines(f'- @subpage {name} "{self.titles[name]}"\n' for name in rest)


def table_line(line):
    """Doxygen knows no escaped bar in a table, and takes `!a::b` there for a link."""
    def code(match):
        text = match.group().strip("`").replace("<", "&lt;").replace(">", "&gt;")
        if "&#124;" not in text and "!" not in text:
            return match.group()
        return "<code>" + text.replace("::", "\\::") + "</code>"
    return re.sub(r"`[^`]*`", code, line.replace("\\|", "&#124;"))


def listing(path):
    language = {".cu": "cpp", ".cuh": "cpp", ".hpp": "cpp", ".py": "py"}.get(path.suffix, "")
    text = re.sub(r"\A(//|#) SPDX[^\n]*\n", "", path.read_text())
    return f"```{language}\n{text}```"


def mend(site):
    """Parameters that have the name of a type, as `first` has, are no links to it. What was found is legible."""
    link = re.compile(r'((?:[\w&;*] )|&amp;|\*)<a class="el" href="[^"]*">(\w+)</a>(?=[,)]|=|</td>)')
    for page in site.glob("*.html"):
        text = page.read_text()
        lines = [link.sub(r"\1\2", line) if "memItemRight" in line or "memTemplItemRight" in line else line
                 for line in text.split("\n")]
        page.write_text("\n".join(lines))
    for page in (site / "search").glob("*.js"):  # the page above another one, by its title
        page.write_text(re.sub(r"(?<=,1,')page_(\w+)(?=')", lambda m: m.group(1).capitalize(), page.read_text()))
    with open(site / "search" / "search.css", "a") as style:
        style.write((pathlib.Path(__file__).parent / "search.css").read_text())


def main():
    if len(sys.argv) == 2:
        return mend(pathlib.Path(sys.argv[1]))
    source, stage, site = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    for folder in (stage, site):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    pages = Pages(source, stage, site, reference.write(source, stage))
    pages.write()
    (stage / "images").mkdir()
    for image in pages.images:
        shutil.copyfile(source / image, stage / "images" / posixpath.basename(image))


if __name__ == "__main__":
    main()
