#pragma once
// An import report as lines for people. Any thread.

#include "app/viewmodels/text/HumanText.h"
#include "core/model/Import.h"

#include <QString>
#include <QStringList>

#include <set>
#include <utility>
#include <vector>

namespace trainscope::app {

// Label and value of everything the report says that people can use, the numbers that matter first.
// `beside`: ranks that other sources of its run have, which are not missing.
std::vector<std::pair<QString, QString>> reportFacts(
    const ImportReport& report, const std::set<int>& beside = {});

// A line for each kind, the worst first (core/report/WarningLines.h).
QStringList warningTexts(const std::vector<ImportWarning>& warnings);

} // namespace trainscope::app
