#include "app/reporting/WebPage.h"

#include "app/cli/text/TextFile.h"
#include "app/painting/FigureExport.h"
#include "core/figures/Kinds.h"
#include "core/model/Try.h"

#include <QFile>
#include <QTemporaryDir>

namespace trainscope::app {

namespace {

constexpr std::size_t kMostWithOwn = 4; // runs that have figures of their own

// As the file that `figure` writes.
Result<std::string> svgOf(const figures::Figure& figure, const QTemporaryDir& folder) {
    const QString path = folder.filePath(QStringLiteral("figure.svg"));
    RETURN_IF_ERROR(writeFigure(figure, path, {}));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::Io, file.errorString().toStdString(), path.toStdString()};
    return file.readAll().toStdString();
}

// A kind that the data does not allow, or that needs a choice, is left away.
Status addFigure(const figures::Kind& kind, const analysis::RunStudies& studies,
    const cli::PageWish& wish, const std::vector<Run>& runs, const QTemporaryDir& folder,
    std::vector<cli::PageFigure>& figures) {
    auto request = requestFor(QStringLiteral("figure.svg"), {});
    request.runs = runs;
    request.areRunsNamed = true;
    request.numbers = kind.writesNumbers;
    request.marks = wish.marks;
    const auto figure = figures::load(kind, studies, request);
    if (!figure.hasValue() && figure.error().code == ErrorCode::Cancelled)
        return figure.error();
    if (!figure.hasValue() || !figure.value().emptyText.empty() || !figure.value().draw
        || figure.value().isOfOne)
        return {};
    const figures::Figure& drawn = figure.value();
    ASSIGN_OR_RETURN(auto svg, svgOf(drawn, folder));
    figures.push_back({drawn.title.empty() ? std::string(kind.key) : drawn.title,
        figures::fileNameOf(kind.key, drawn.runs) + ".svg", std::move(svg)});
    return {};
}

Result<std::vector<cli::PageFigure>> figuresOf(
    const analysis::RunStudies& studies, const cli::PageWish& wish) {
    const QTemporaryDir folder;
    std::vector<cli::PageFigure> figures;
    for (const figures::Kind& kind : figures::kinds()) {
        using figures::RunsShown;
        const bool isOfOne = kind.runs == RunsShown::One || kind.runs == RunsShown::NamedOrOnly;
        if (!isOfOne)
            RETURN_IF_ERROR(addFigure(kind, studies, wish, wish.runs, folder, figures));
        for (std::size_t i = 0; isOfOne && wish.runs.size() <= kMostWithOwn && i < wish.runs.size();
             ++i)
            RETURN_IF_ERROR(addFigure(kind, studies, wish, {wish.runs[i]}, folder, figures));
    }
    return figures;
}

} // namespace

Result<WrittenPage> writeWebPage(
    const analysis::RunStudies& studies, cli::PageWish wish, const std::string& path) {
    RETURN_IF_ERROR(cli::checkRunsOfPage(wish.runs));
    ASSIGN_OR_RETURN(wish.figures, figuresOf(studies, wish));
    ASSIGN_OR_RETURN(auto page, cli::pageText(studies, wish));
    ASSIGN_OR_RETURN(auto file, cli::TextFile::create(path));
    file.write(page.text);
    RETURN_IF_ERROR(file.close());
    return WrittenPage{page.text.size(), std::move(page.leftOut)};
}

} // namespace trainscope::app
