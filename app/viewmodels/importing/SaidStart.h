#pragma once
// When a source without dates began, as the user types it.

#include "app/viewmodels/importing/ImportPlanModel.h"

#include <QString>

namespace trainscope::app {

// "2026-04-22 00:08:54.5", in UTC unless it names a zone; empty takes it back. True: the row has
// changed. Text that is no moment makes it faulty, unless it was said of several sources at once,
// of which it may be a time zone.
bool setSaidStart(ImportRow& row, const QString& text, bool isOnly);

} // namespace trainscope::app
