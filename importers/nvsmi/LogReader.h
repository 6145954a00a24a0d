#pragma once
// Reads one log file into a recorder: rows, headers that come again, noise, drawn tables. Blocks of
// rows are read by jobs and recorded in order; a drawn table is read line by line.

#include "core/model/Import.h"
#include "importers/common/ClockFalls.h"
#include "importers/common/LineBlocks.h"
#include "importers/common/StampGate.h"
#include "importers/common/WallClock.h"
#include "importers/nvsmi/LogGpus.h"
#include "importers/nvsmi/Rows.h"
#include "importers/nvsmi/SmiTable.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::importers::nvsmi {

struct LogContext {
    Recorder& recorder;
    ImportReport& report;
    FileRanks ranks;
    std::string file; // for warnings
    DurationNs utcOffset; // subtracted from local stamps
    std::optional<TimeNs> start
        = {}; // that stamps count from which say no date, and of a table without
};

class LogReader {
public:
    LogReader(ColumnOrder order, LogContext context);

    // To the end of the stream. A stream that breaks off ends with a warning; what was read stays.
    // `proceed` is told how many bytes of the file are behind. Fails when cancelled (`proceed`
    // false) or when the sink fails.
    using Proceed = std::function<bool(std::uint64_t bytes)>;
    Status read(LineBlocks& blocks, const Proceed& proceed);
    [[nodiscard]] bool wasCutShort() const { return m_cutShort; }
    [[nodiscard]] int nodes() const { return m_gpus.nodes(); }

private:
    Status take(RowBlock block);
    Status takeRows(const RowBlock& block);
    Status takeOther(const RowNote& note);
    Result<bool> takeByFormer(std::string_view line);
    Status recordNamed(const RowBlock& block, std::size_t row);
    Status recordGroups(const RowIdentity& who, TimeNs time, std::span<const double> numbers);
    Status recordOfNode(const RowIdentity& who, const ColumnGroup& group, TimeNs time,
        std::span<const double> numbers);
    [[nodiscard]] std::vector<Column> headerOf(std::string_view line) const;
    [[nodiscard]] bool startsOrder(const RowNote& note) const;
    // Rows of that block whose stamps waited for those behind them.
    Status takeWaiting(const RowBlock& block, const std::vector<bool>& areDamaged);
    // Absent where the GPU has no place; that is a warning of the row.
    Result<std::optional<std::size_t>> slotOf(
        const RowIdentity& who, std::string_view id, const ColumnGroup& group);
    Status add(
        std::size_t slot, const ColumnGroup& group, TimeNs time, std::span<const double> numbers);
    Status prepare(std::size_t slot, const ColumnGroup& group, std::string_view model);
    Status takeTable(const LineBlock& block);
    Status tableLine(std::string_view text);
    void changeOrder(std::vector<Column> columns);
    void useOrder(ColumnOrder order);
    void breakOff(const Error& error);
    void tellDoubts();
    void skip(std::string text);
    TimeNs absolute(const Stamp& stamp);

    std::shared_ptr<const ColumnOrder> m_order;
    // Orders of earlier headers: two recorders may write to one file, row by row.
    std::vector<std::shared_ptr<const ColumnOrder>> m_former;
    std::int64_t m_rowsByFormer = 0;
    LogContext m_context;
    LogGpus m_gpus;
    Rotation m_rotation;
    ClockFalls m_falls;
    WallClock m_wall;
    StampGate m_gate;
    std::vector<std::size_t> m_waiting; // rows of the block under way
    std::map<std::size_t, TimeNs> m_nodeTimes; // the last of a node's slot
    SmiTable m_table;
    std::vector<ColumnGroup> m_groups;
    std::map<std::size_t, int> m_prepared; // slot → order it was prepared for
    std::vector<std::optional<std::size_t>> m_slots; // by identity of the block under way
    std::vector<double> m_values;
    int m_orderNumber = 1;
    std::int64_t m_linesBefore = 0; // the block under way
    std::int64_t m_lineNumber = 0;
    bool m_cutShort = false;
};

} // namespace trainscope::importers::nvsmi
