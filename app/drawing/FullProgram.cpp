#include "app/drawing/FullProgram.h"

namespace trainscope::cli {

Program fullProgram() {
    return {"trainscope-cli",
        {addCompareCommand, addFigureCommand, addReportCommand, addDocumentCommand}, remoteEngines};
}

} // namespace trainscope::cli
