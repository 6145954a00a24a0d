#pragma once
// `trainscope-cli`: the commands of each command line (app/cli/CommandLine.h), and what needs Qt:
// commands that draw, comparisons that the window keeps, and imports over the network.

#include "app/cli/CommandLine.h"

namespace trainscope::cli {

// Monitoring engines as sources of `import`: prom+http://… is copied or linked
// (app/engine/EngineImport.h), and what came of it is the outcome of an import.
std::shared_ptr<RemoteSources> remoteEngines();

// Each in the file of its name.
AddCommand addCompareCommand, addFigureCommand, addReportCommand, addPageCommand,
    addDocumentCommand;

inline Program fullProgram() {
    return {"trainscope-cli",
        {addCompareCommand, addFigureCommand, addReportCommand, addPageCommand, addDocumentCommand},
        remoteEngines};
}

// Qt's application object for drawing without a window, one per process and kept to its end. Fonts
// need a QGuiApplication, Qt Charts a QApplication; the offscreen platform needs no display.
void needApplication();
// The same for the network; where both are needed, needApplication() comes first.
void needCoreApplication();

} // namespace trainscope::cli
