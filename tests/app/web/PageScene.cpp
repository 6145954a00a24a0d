// page_scene DB BEGIN_NS END_NS WIDTH HEIGHT [MARK]: the timeline of all runs as the window draws
// it, as a display list on stdout; with a mark of that label over the window's middle third the
// critical path, too. A letter is 0.55 of its size wide.

#include "core/figures/timeline/TimelineLoad.h"
#include "core/model/Try.h"
#include "web/DisplayList.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

using namespace trainscope;

namespace {

Status writeScene(char** arguments, const char* mark) {
    ASSIGN_OR_RETURN(const auto store, store::Store::open(arguments[1], store::OpenMode::ReadOnly));
    ASSIGN_OR_RETURN(const auto runs, store.runs());
    const analysis::RunStudies studies(store);
    std::vector<plot::ShownRun> shown;
    std::vector<plot::RunOverlay> overlays;
    for (const Run& run : runs) {
        shown.push_back({run.id, run.name, run.range.begin, shown.size()});
        ASSIGN_OR_RETURN(auto overlay, figures::loadOverlay(studies.of(run)));
        if (mark != nullptr) {
            ASSIGN_OR_RETURN(overlay.path, figures::loadPath(studies.of(run)));
        }
        overlays.push_back(std::move(overlay));
    }
    ASSIGN_OR_RETURN(const auto catalogue, figures::readCatalogue(store, shown));
    const plot::ViewWindow window{{std::atoll(arguments[2])}, {std::atoll(arguments[3])}};
    ASSIGN_OR_RETURN(const auto data,
        figures::loadTimeline(
            store, catalogue, shown, figures::defaultArrangement(catalogue), window, 640));
    plot::TimelineStyle style;
    style.theme = &plot::lightTheme();
    style.width = std::atof(arguments[4]);
    style.height = std::atof(arguments[5]);
    style.sharesHeight = true;
    style.overlays = &overlays;
    const DurationNs third{window.length().ns / 3};
    if (mark != nullptr)
        style.marks.push_back({shown.front().name,
            {shown.front().origin + window.begin + third,
                shown.front().origin + window.begin + third + third},
            mark});
    style.measure = [&style](std::string_view text, plot::TextRole role, bool /*bold*/) {
        return 0.55 * style.theme->size(role) * static_cast<double>(text.size());
    };
    const auto list = web::displayList(plot::buildTimeline(data, window, style).scene);
    std::fwrite(list.data(), 1, list.size(), stdout);
    return {};
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 6 && argc != 7)
        return 2;
    const Status status = writeScene(argv, argc == 7 ? argv[6] : nullptr);
    if (!status.hasValue())
        std::cerr << status.error().describe() << '\n';
    return status.hasValue() ? 0 : 1;
}
