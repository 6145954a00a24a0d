"""Predict: what is predicted and searched while somebody waits."""


def measure(table, figures, make, full):
    del make, full
    for name, work in {"searchDense": "dense, 70B", "searchExperts": "256 experts, 671B"}.items():
        searched = figures.counter(name, "searched")
        label = f"all layouts of 1,024 GPUs, {work}" + (f" ({searched:,.0f})" if searched else "")
        table.at_most("predict", label, figures.ms(name), "ms", 1000)
    each, layouts = figures.ms("predictEach"), figures.counter("predictEach", "layouts")
    feasible = figures.counter("searchDense", "feasible")
    one_by_one = each / layouts * feasible if each and layouts and feasible else None
    table.times_faster("predict", "the same against its layouts predicted one by one", figures.ms("searchDense"),
                       one_by_one, "one by one", factor=10)
    table.at_most("predict", "one job of 1,024 GPUs", figures.ms("predictOne"), "ms", 16)
    table.at_most("predict", "a table of 359 runs", figures.ms("predictTable"), "ms", 1000)
    table.at_most("predict", "a profile of some thousand samples", figures.ms("fitProfile"), "ms", 5000)
