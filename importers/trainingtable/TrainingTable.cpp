#include "importers/trainingtable/TrainingTable.h"

#include "importers/common/CellSplitter.h"
#include "importers/trainingtable/RowReader.h"

namespace trainscope::importers {

std::optional<double> TableRow::measuredSeconds() const {
    if (measured.seconds)
        return measured.seconds;
    if (!job || !measured.tokensPerSecondPerGpu || *measured.tokensPerSecondPerGpu <= 0.0)
        return std::nullopt;
    return job->tokensPerStep() / (*measured.tokensPerSecondPerGpu * job->gpus());
}

Result<std::vector<TableRow>> readTrainingTable(
    std::string_view csv, const catalogue::ModelCatalogue& catalogue) {
    std::vector<TableRow> rows;
    std::optional<TableHeader> head;
    CellSplitter splitter;
    while (!csv.empty()) {
        const std::size_t end = csv.find('\n');
        std::string_view line = csv.substr(0, end);
        csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (line.empty())
            continue;
        if (!head) {
            head.emplace(line, ',');
            if (!head->hasAll({"model", "gpu", "n_gpus"}))
                return Error{ErrorCode::Unrecognised,
                    "This is no table of training runs: a CSV file is expected whose head names at "
                    "least model, gpu and n_gpus.",
                    {}};
            continue;
        }
        const NamedRow row(*head, splitter.split(line, ','));
        rows.push_back(trainingtable::readRow(row, static_cast<int>(rows.size()), catalogue));
    }
    if (!head)
        return Error{ErrorCode::Unrecognised, "The table is empty.", {}};
    return rows;
}

} // namespace trainscope::importers
