#pragma once
// Reads one table into a MeterLog: rows, headers that come again, noise. Blocks of rows are read by
// jobs and recorded in order.

#include "importers/common/FileLines.h"
#include "importers/common/MeterLog.h"
#include "importers/meters/ColumnNames.h"
#include "importers/meters/MeterReader.h"
#include "importers/meters/Rhythm.h"
#include "importers/meters/Rows.h"

namespace trainscope::importers::meters::smi {

class LogReader {
public:
    // `order`: of a log by its first lines; of a known tool's table its kind is enough.
    LogReader(ColumnOrder order, MeterLog& log);

    // To the end of the stream. A stream that breaks off ends with a warning; what was read stays.
    // `proceed` is told how many bytes of the file are behind. Fails when cancelled (`proceed`
    // false) or when the sink fails.
    using Proceed = std::function<bool(std::uint64_t bytes)>;
    Status read(LineBlocks& blocks, const Proceed& proceed);

private:
    Status take(RowBlock block);
    Status takeRows(const RowBlock& block);
    Status takeOther(const RowNote& note);
    void takeOtherOf(const TableKind& kind, const RowNote& note);
    void takeUnits(const std::vector<std::string_view>& cells);
    Status record(const RowBlock& block, std::size_t row);
    Status recordOf(const TableKind& kind, const RowBlock& block, std::size_t row);
    Status addToSum(const std::string& key, const Who& who, const SeriesDescription& what,
        TimeNs time, double value);
    Status giveSums();
    Status recordNamed(const RowBlock& block, std::size_t row);
    Status recordGroups(const RowIdentity& who, TimeNs time, std::span<const double> numbers);
    Status recordOfNode(const RowIdentity& who, const ColumnGroup& group, TimeNs time,
        std::span<const double> numbers);
    // Absent where the GPU has no place; that is a warning of the row.
    Result<std::optional<std::size_t>> subjectOf(const Who& who, const ColumnGroup& group);
    Status add(std::size_t subject, const ColumnGroup& group, TimeNs time,
        std::span<const double> numbers);
    Status prepare(std::size_t subject, const ColumnGroup& group, std::string_view model);
    Status changeOrder(std::vector<Column> columns);
    void useOrder(ColumnOrder order);
    void tellDoubts();

    std::shared_ptr<const ColumnOrder> m_order;
    MeterLog& m_log;
    Rotation m_rotation;
    std::map<std::size_t, TimeNs> m_nodeTimes; // the last of a node
    std::vector<ColumnGroup> m_groups;
    std::map<std::size_t, int> m_prepared; // subject → order it was prepared for
    std::vector<std::optional<std::size_t>> m_subjects; // by identity of the block under way
    std::vector<double> m_values;
    int m_orderNumber = 1;
    std::optional<Stamp> m_date; // the last date line's
    // For a known tool's table.
    struct Sum {
        Who who;
        SeriesDescription what;
        TimeNs time;
        double value = 0.0;
    };
    std::map<std::pair<std::string, std::string>, Sum> m_sums; // by subject and metric
    std::set<std::string> m_fields; // in a long table
    ReadingTimes m_times; // without stamps
    TableCells m_tableCells;
    bool m_awaitsUnits = false;
    std::int64_t m_linesBefore = 0; // the block under way
};

} // namespace trainscope::importers::meters::smi
