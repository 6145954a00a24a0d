"""Rows of the report: a figure, its budget, and what it is compared with."""
import dataclasses


@dataclasses.dataclass
class Row:
    area: str
    work: str
    figure: float
    unit: str
    budget: str = ""
    met: bool | None = None  # None: there is no budget
    baseline: float | None = None
    baseline_name: str = ""
    ratio: float | None = None


class Table:
    """Collects rows; figures that could not be measured are left out and named at the end."""

    def __init__(self):
        self.rows = []
        self.absent = []

    def _add(self, row):
        if row.figure is None:
            self.absent.append(row.work)
        else:
            self.rows.append(row)

    def plain(self, area, work, figure, unit):
        self._add(Row(area, work, figure, unit))

    def at_most(self, area, work, figure, unit, limit):
        self._add(Row(area, work, figure, unit, f"<= {limit:g} {unit}", figure is not None and figure <= limit))

    def at_least(self, area, work, figure, unit, limit):
        self._add(Row(area, work, figure, unit, f">= {limit:g} {unit}", figure is not None and figure >= limit))

    def times_faster(self, area, work, figure, baseline, name, factor=None, limit=None):
        """figure and baseline in ms; factor: how many times faster it has to be; limit: ms it may take at most."""
        if figure is None or baseline is None:
            self.absent.append(work)
            return
        ratio = baseline / figure
        budget = ", ".join(([f"<= {limit:g} ms"] if limit else []) + ([f">= {factor:g} x"] if factor else []))
        met = ((not limit or figure <= limit) and (not factor or ratio >= factor)) if budget else None
        self._add(Row(area, work, figure, "ms", budget, met, baseline, name, ratio))

    def flat(self, area, work, figure, first, first_name, limit, growth=1.5):
        """A cost that must not grow: at most `growth` times the first, and `limit` ms."""
        if figure is None or first is None:
            self.absent.append(work)
            return
        ratio = figure / first
        self._add(Row(area, work, figure, "ms", f"<= {limit:g} ms, <= {growth:g} x", figure <= limit and ratio <= growth,
                      first, first_name, ratio))


def print_rows(table):
    header = f"{'':8} {'work':52} {'figure':>13} {'budget':>20} {'baseline':>28} {'ratio':>7}  met"
    print(header)
    area = None
    for row in table.rows:
        base = f"{row.baseline:.4g} ms ({row.baseline_name})" if row.baseline is not None else ""
        ratio = f"{row.ratio:.2f}" if row.ratio is not None else ""
        met = {True: "yes", False: "NO", None: ""}[row.met]
        label = row.area if row.area != area else ""
        area = row.area
        print(f"{label:8} {row.work:52} {row.figure:>8.4g} {row.unit:<4} {row.budget:>20} {base:>28} {ratio:>7}  {met}")
    if table.absent:
        print("not measured: " + ", ".join(table.absent))


def print_growth(growth):
    print("\nhow the cost grows (ms)")
    for work, points in growth.items():
        print(f"  {work:44} " + "  ".join(f"1e{len(str(size)) - 1}: {cost:.3g}" for size, cost in points))
