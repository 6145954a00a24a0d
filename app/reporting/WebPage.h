#pragma once
// A page with the figures that `figure` draws of its runs, written to a file: the work of
// `trainscope-cli page` and of the window.

#include "app/cli/page/PageFile.h"

namespace trainscope::app {

struct WrittenPage {
    std::size_t bytes = 0;
    std::vector<std::string> leftOut; // sentences
};

// Makes the figures of the wish. Errors are those of pageText(), and of the file. On any thread;
// charts are painted on the thread of the QApplication (app/painting/ChartPainter.h).
Result<WrittenPage> writeWebPage(
    const analysis::RunStudies& studies, cli::PageWish wish, const std::string& path);

} // namespace trainscope::app
