#include "app/cli/page/PageFile.h"

#include "app/cli/page/PageAnswers.h"
#include "app/cli/page/PagePack.h"
#include "app/cli/text/Json.h"
#include "core/model/Try.h"
#include "web/data/PageData.h"

#include <fmt/format.h>

namespace trainscope::cli {

namespace {

Result<std::string> answerElements(const analysis::RunStudies& studies, const PageWish& wish) {
    std::string elements;
    PageAnswers answers(studies, wish.runs);
    for (const std::string& name : answers.names()) {
        ASSIGN_OR_RETURN(const auto answer, answers.answer(name));
        elements += pageElement(name, answer);
    }
    return elements;
}

std::string dataElements(const web::PageData& data) {
    std::string elements = pageElement("tables", data.tables);
    for (std::size_t i = 0; i < data.blocks.size(); ++i)
        elements += pageElement("b" + std::to_string(i), data.blocks[i]);
    return elements;
}

// As many as there is room for.
std::string figureElements(
    const std::vector<PageFigure>& figures, double room, std::vector<std::string>& leftOut) {
    std::string elements;
    Json list = Json::array();
    std::vector<std::string> missing;
    for (const PageFigure& figure : figures) {
        std::string element = pageElement(fmt::format("figure-{}", list.size()), figure.svg);
        if (missing.empty() && static_cast<double>(elements.size() + element.size()) <= room) {
            elements += element;
            list.push_back({{"title", figure.title}, {"file", figure.file}});
        } else {
            missing.push_back(figure.title);
        }
    }
    if (!missing.empty())
        leftOut.push_back(fmt::format("Figures: {}.", fmt::join(missing, "; ")));
    return elements + pageElement("figures", jsonText(list));
}

} // namespace

Status checkRunsOfPage(const std::vector<Run>& runs) {
    if (!runs.empty() && runs.size() <= kMostRunsOfPage)
        return {};
    return usageError(fmt::format(
        "A page shows between one run and {}; choose them, on the command line with --run.",
        kMostRunsOfPage));
}

Result<PageText> pageText(const analysis::RunStudies& studies, const PageWish& wish) {
    RETURN_IF_ERROR(checkRunsOfPage(wish.runs));
    ASSIGN_OR_RETURN(const auto program, pageProgram());
    ASSIGN_OR_RETURN(const std::string answers, answerElements(studies, wish));
    constexpr double forLists = 8e3; // bytes of what names the figures, and what was left out
    web::PageDetail detail;
    double room = 0.0;
    do {
        ASSIGN_OR_RETURN(auto data, web::pageData(studies, wish.runs, detail, wish.marks));
        const std::string elements = answers + dataElements(data);
        const auto bytes = static_cast<double>(program.size() + elements.size()) + forLists;
        room = wish.mostBytes > 0.0 ? wish.mostBytes - bytes : 1e18;
        if (room < 0.0)
            continue;
        std::vector<std::string> leftOut = std::move(data.leftOut);
        const std::string figures = figureElements(wish.figures, room, leftOut);
        const std::string left = pageElement("left", fmt::format("{}", fmt::join(leftOut, "\n")));
        return PageText{filledPage(program, elements + figures + left), std::move(leftOut)};
    } while (web::makeCoarser(detail));
    return usageError(fmt::format("The page cannot be as small as {:g} MB: without details it has "
                                  "{:.1f} MB. Take fewer runs.",
        wish.mostBytes / 1e6, (wish.mostBytes - room) / 1e6));
}

} // namespace trainscope::cli
