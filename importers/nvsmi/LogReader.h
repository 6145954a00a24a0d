#pragma once
// Reads one log file line by line into a recorder: rows, headers that come again, noise, drawn
// tables.

#include "core/model/Import.h"
#include "importers/common/LineReader.h"
#include "importers/nvsmi/Roster.h"
#include "importers/nvsmi/RowParser.h"
#include "importers/nvsmi/SmiTable.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trainscope::importers::nvsmi {

struct LogContext {
    Recorder& recorder;
    ImportReport& report;
    Placement placement;
    std::string file; // for warnings
    DurationNs utcOffset; // subtracted from local stamps
};

class LogReader {
public:
    LogReader(Layout layout, LogContext context);

    // To the end of the stream. A stream that breaks off ends with a warning; what was read stays.
    // Fails when cancelled (`proceed` false) or when the sink fails.
    Status read(LineReader& lines, const std::function<bool()>& proceed);
    [[nodiscard]] bool wasCutShort() const { return m_cutShort; }

private:
    Status line(std::string_view text);
    Status row(std::string_view text);
    Status tableLine(std::string_view text);
    Status record(const ParsedRow& row);
    Status recordTableGpu(const TableGpu& gpu, const Stamp& stamp);
    Status prepare(std::size_t slot, const ColumnGroup& group, std::string_view model);
    void changeLayout(std::vector<Column> columns);
    void skip(std::string text);
    [[nodiscard]] TimeNs absolute(const Stamp& stamp) const;

    Layout m_layout;
    LogContext m_context;
    RowParser m_parser;
    Roster m_roster;
    Rotation m_rotation;
    SmiTable m_table;
    std::vector<ColumnGroup> m_groups;
    std::map<std::size_t, int> m_prepared; // slot → layout it was prepared for
    std::vector<double> m_values;
    int m_layoutNumber = 1;
    std::int64_t m_lineNumber = 0;
    bool m_cutShort = false;
};

} // namespace trainscope::importers::nvsmi
