#pragma once
// The rows of the view Operators that are seen as a table, and as CSV. GUI thread.

#include "app/viewmodels/operators/OperatorOutline.h"
#include "app/viewmodels/workspace/TableModel.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace trainscope::app {

// Columns of which something is known, by their places in the outline: those of the table behind
// that of the names.
std::vector<std::size_t> knownColumns(const OperatorOutline& outline);
// The rows are nodes of the outline.
TableContent operatorContent(
    const std::shared_ptr<const OperatorOutline>& outline, const QString& nameHead);
// The figures of a row that are known, with their heads.
std::vector<std::pair<QString, QString>> operatorFigures(
    const OperatorOutline& outline, std::uint32_t node);
// All that are seen, in SI units.
QString operatorCsv(const OperatorOutline& outline, const QString& nameHead);

} // namespace trainscope::app
