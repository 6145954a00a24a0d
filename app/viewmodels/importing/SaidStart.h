#pragma once
// The clock of a source as the user types it: when one without dates began, how far apart the
// readings of one without stamps are, and the zone of local stamps.

#include "app/viewmodels/importing/ImportPlanModel.h"

#include <QString>

namespace trainscope::app {

// "2026-04-22 00:08:54.5", in UTC unless it names a zone; empty takes it back. True: the row has
// changed. Text that is no moment makes it faulty, unless it was said of several sources at once,
// of which it may be a time zone.
bool setSaidStart(ImportRow& row, const QString& text, bool isOnly);

// "100 ms", "1.5"; empty takes it back. True: the row has changed.
bool setSaidPeriod(ImportRow& row, const QString& text);

// An offset from UTC or the name of a zone; empty: UTC, or what the power of its run tells.
void setSaidZone(ImportRow& row, const QString& text);
// The power of its run may tell the moment, or the zone, of what it has.
bool isToldByPower(const ImportRow& row);

} // namespace trainscope::app
