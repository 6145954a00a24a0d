#pragma once
// The drawn table of plain `nvidia-smi`, one or many, as text or inside a quoted CSV cell. A
// table's time is the stamp before it (`2025-03-25T09:12:43.008729,"Tue Mar 25 …`), else its own
// banner line.

#include "importers/common/Stamp.h"
#include "importers/nvsmi/Column.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::nvsmi {

// Content of one GPU's two lines.
struct TableGpu {
    int index = 0;
    std::string name;
    std::vector<double> numbers; // by tableColumns(); NaN where the table has N/A
};

class SmiTable {
public:
    enum class Line {
        Nothing, // part of the drawing, or a line between tables
        Gpu, // gpu() is complete
        Broken, // the second line of a GPU that could not be read
    };
    Line feed(std::string_view line);

    [[nodiscard]] const TableGpu& gpu() const { return m_gpu; }
    // Time of the table being read.
    [[nodiscard]] const std::optional<Stamp>& time() const { return m_time; }

private:
    void readTime(std::string_view line);
    bool readName(std::string_view cell);
    Line readValues(std::string_view line);

    TableGpu m_gpu;
    std::optional<Stamp> m_time;
    bool m_awaitValues = false;
};

// The columns that a drawn table amounts to.
std::vector<Column> tableColumns();

} // namespace trainscope::importers::nvsmi
