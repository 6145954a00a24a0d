#pragma once
// Tables of readings: header lines that name columns, one row or one value a line. A format is a
// TableKind: how its lines split, and what its columns mean.

#include "importers/common/CellSplitter.h"
#include "importers/common/Cells.h"
#include "importers/common/MetricWords.h"
#include "importers/meters/MeterReader.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::meters {

struct MeterColumn {
    ColumnRole role = ColumnRole::Ignored;
    std::string header = {};
    SeriesDescription what = {}; // of a metric
    std::string whose = {}; // subject of a wide table's column: "GPU 3", "node 2", "Switch 1"
    CellForm form = CellForm::Number;
    bool isOwn = false; // no table knows its name
};

struct TableKind {
    char separator = ','; // ' ': runs of blanks
    // The columns of a header line; empty: it is no header.
    std::vector<MeterColumn> (*columns)(std::span<const std::string_view> cells) = nullptr;
    // The metric of a long table's field.
    MeterColumn (*field)(std::string_view name) = nullptr;
    SubjectKind subject = SubjectKind::Gpu; // of rows that name none
    bool sumsParts = false; // rows of one subject and moment are added up
    bool onlyTotals = false; // rows whose parts are not all "-" are passed over
    bool isDcgm = false; // its first cell is two words, and its numbers have blanks
};

// "3", "GPU 3", "GPU-I 1", "Switch 0", "node 2" as a subject. Anything else stays with a GPU.
Who meterSubject(std::string_view text, SubjectKind usual);

class TableReader final : public MeterReader {
public:
    explicit TableReader(const TableKind& kind)
        : m_kind(kind) { }

    Status take(std::string_view line, MeterLog& log) override;
    Status finish(MeterLog& log) override;

private:
    using Role = ColumnRole;
    bool split(std::string_view line, MeterLog& log);
    bool takeHeader(MeterLog& log);
    [[nodiscard]] bool isUnitLine() const;
    void takeUnits();
    Status takeRow(std::string_view line, MeterLog& log);
    [[nodiscard]] std::optional<Stamp> stampOfRow() const;
    Status takeCells(MeterLog& log, TimeNs time);
    const MeterColumn* fieldOfRow(std::size_t value, MeterLog& log); // nullptr: too many
    std::optional<TimeNs> timeOf(MeterLog& log);
    [[nodiscard]] bool hasParts() const;
    void readWho();
    Status takeValue(const MeterColumn& column, std::string_view cell, TimeNs time, MeterLog& log);
    double number(const MeterColumn& column, std::string_view cell, MeterLog& log);
    Status giveSums(MeterLog& log);

    struct Sum {
        std::string whose;
        SeriesDescription what;
        TimeNs time;
        double value = 0.0;
    };

    const TableKind& m_kind;
    CellSplitter m_splitter;
    std::vector<std::string_view> m_cells;
    std::string m_header; // the line, to know it again
    std::vector<MeterColumn> m_columns;
    bool m_awaitsUnits = false;
    Who m_who; // of the row
    std::string m_whose;
    std::string m_part;
    ReadingTimes m_times;
    std::map<std::string, MeterColumn, std::less<>> m_fields;
    std::string m_field; // of the last row
    std::map<std::pair<std::string, std::string>, Sum> m_sums;
};

} // namespace trainscope::importers::meters
