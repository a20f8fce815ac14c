#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the layers of include/ctq and what they include, from the #include lines.

    draw_layers.py [--check] INCLUDE_DIRECTORY PICTURE.svg

A layer stands below all layers that include it, so every arrow points down; layers that include
each other are an error. Arrows that follow from others are left out. --check writes nothing and
fails if the picture is not up to date.
"""

import collections
import html
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/headers"))
from check_includes import includes_of, layer_of  # noqa: E402

BOX_WIDTH, LINE, ROW_GAP, BOX_GAP, MARGIN = 230, 17, 46, 24, 16
LONGEST_LINE = 34  # in characters
LANE_WIDTH = 12  # of an arrow that passes between the boxes of a row


def read_layers(root):
    """Layer -> its folders, and layer -> what it includes."""
    folders, uses = collections.defaultdict(set), {}
    for path in sorted(root.glob("ctq/**/*.hpp")):
        header = path.relative_to(root).as_posix()
        layer = layer_of(header)
        inner = header.split("/")[2:-1]
        folders[layer] |= {"/".join(inner)} if header.count("/") > 1 else set()
        included = {layer_of(name) for _, _, name in includes_of(path.read_text().splitlines())
                    if name.startswith("ctq/")}
        uses.setdefault(layer, set()).update(included - {layer})
    return folders, uses


def rows_of(uses):
    """Row of each layer, 0 at the bottom: one above the highest that it includes."""
    row, open_layers = {}, []

    def visit(layer):
        if layer in open_layers:
            sys.exit("layers include each other: "
                     + " -> ".join(open_layers[open_layers.index(layer):] + [layer]))
        if layer not in row:
            open_layers.append(layer)
            row[layer] = max([visit(other) + 1 for other in sorted(uses[layer])], default=0)
            open_layers.pop()
        return row[layer]

    for layer in sorted(uses):
        visit(layer)
    return row


def essential(uses):
    """The arrows that do not follow from others."""
    below = {}

    def all_below(layer):
        if layer not in below:
            below[layer] = uses[layer].union(*[all_below(other) for other in uses[layer]])
        return below[layer]

    return [(a, b) for a in sorted(uses) for b in sorted(uses[a])
            if not any(b in all_below(other) for other in uses[a] - {b})]


def text_of(layer, folders):
    """Its title, and its folders, two levels deep, one line for each group."""
    groups = collections.defaultdict(list)
    for folder in sorted(folders - {""}):
        first, _, rest = folder.partition("/")
        groups[first] += [rest] if rest else []
    lines = []
    for first, inner in groups.items():
        lines.append(f"{first}/" + (": " if inner else ""))
        for name in inner:
            if len(lines[-1]) + len(name) > LONGEST_LINE:
                lines.append("    ")
            lines[-1] += name + "/ "
    return layer + ("/" if folders else ".hpp"), lines


def arranged(row, arrows):
    """Rows of boxes and lanes. A lane is (layer, layer, row): an arrow that passes a row."""
    rows = [[] for _ in range(max(row.values()) + 1)]
    for layer in sorted(row):
        rows[row[layer]].append(layer)
    neighbours = collections.defaultdict(list)
    paths = []
    for a, b in arrows:
        path = [a, *[(a, b, r) for r in range(row[a] - 1, row[b], -1)], b]
        for r, lane in zip(range(row[a] - 1, row[b], -1), path[1:-1]):
            rows[r].append(lane)
        for upper, lower in zip(path, path[1:]):
            neighbours[upper].append(lower)
            neighbours[lower].append(upper)
        paths.append(path)
    # Each box and lane moves to the mean of what it is connected with.
    place = {x: i / len(r) for r in rows for i, x in enumerate(r)}
    for _ in range(24):
        for r in rows:
            mean = {x: sum(place[n] for n in neighbours[x]) / len(neighbours[x])
                    if neighbours[x] else place[x] for x in r}
            r.sort(key=lambda x: (round(mean[x], 6), str(x)))
            for i, x in enumerate(r):
                place[x] = (i + 0.5) / len(r)
    return rows, paths


def picture(root):
    folders, uses = read_layers(root)
    rows, paths = arranged(rows_of(uses), essential(uses))
    text = {x: text_of(x, folders[x]) for r in rows for x in r if isinstance(x, str)}
    height = {x: LINE * (1 + len(t[1])) + 14 for x, t in text.items()}
    size = {x: BOX_WIDTH if x in text else LANE_WIDTH for r in rows for x in r}
    width = max(sum(size[x] + BOX_GAP for x in r) for r in rows) + 2 * MARGIN

    top, bottom, middle, y = {}, {}, {}, MARGIN
    for r in reversed(rows):
        tallest = max(height.get(x, 0) for x in r)
        x0 = (width - sum(size[x] + BOX_GAP for x in r) + BOX_GAP) / 2
        for x in r:
            middle[x], top[x], bottom[x] = x0 + size[x] / 2, y, y + height.get(x, tallest)
            x0 += size[x] + BOX_GAP
        y += tallest + ROW_GAP
    total = y - ROW_GAP + MARGIN

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {total:.0f}" '
           f'width="{width:.0f}" height="{total:.0f}" font-family="sans-serif" font-size="12">',
           "<title>The layers of include/ctq; arrows point to what is included</title>",
           '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
           'markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#456"/></marker></defs>',
           '<rect width="100%" height="100%" fill="#fff"/>']
    for path in paths:
        points = [(middle[path[0]], bottom[path[0]])]
        for lane in path[1:-1]:
            points += [(middle[lane], top[lane]), (middle[lane], bottom[lane])]
        points.append((middle[path[-1]], top[path[-1]]))
        line = " ".join(f"{px:.0f},{py:.0f}" for px, py in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="#456" marker-end="url(#a)"/>')
    for x, (head, lines) in text.items():
        left = middle[x] - BOX_WIDTH / 2
        out.append(f'<rect x="{left:.0f}" y="{top[x]:.0f}" width="{BOX_WIDTH}" '
                   f'height="{height[x]}" rx="5" fill="#eef3f8" stroke="#456"/>')
        for i, line in enumerate([head, *lines]):
            weight = ' font-weight="bold"' if i == 0 else ""
            out.append(f'<text xml:space="preserve" x="{left + 10:.0f}" y="{top[x] + 6 + LINE * (i + 0.8):.0f}"{weight}>'
                       f"{html.escape(line)}</text>")
    return "\n".join([*out, "</svg>", ""])


def main(arguments):
    check = arguments[:1] == ["--check"]
    root, target = map(pathlib.Path, arguments[-2:])
    drawn = picture(root)
    if not check:
        target.write_text(drawn)
    elif target.read_text() != drawn:
        sys.exit(f"{target} is not up to date: run {pathlib.Path(__file__).name} without --check")
    print(f"{target}: {drawn.count('<polyline')} arrows, all down")


if __name__ == "__main__":
    main(sys.argv[1:])
