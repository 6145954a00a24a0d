#pragma once
// Columns of tables that the user names: what the header of a table does not say, or says
// otherwise. They hold for all imports of the process; set them before files are planned.

#include "core/model/Result.h"

#include <map>
#include <optional>
#include <string_view>

namespace trainscope::importers {

struct SaidColumn {
    std::string meaning; // a metric, or "time", "gpu", "host", "name", "uuid", "ignore"
    std::string unit; // as Cells.h reads it; empty: that of the header or the cells
};
using SaidColumns = std::map<std::string, SaidColumn, std::less<>>; // by header, in small letters

// "P_tot=gpu_power[mW]", "column 3=gpu_temperature". Usage: what is wrong with it.
Status addSaidColumn(SaidColumns& columns, std::string_view text);
// "P_tot=gpu_power[mW]; note=ignore", each as above. Usage: what is wrong with one.
Result<SaidColumns> saidColumnsIn(std::string_view text);
void sayColumns(SaidColumns columns);
// Upper and lower case are alike; "column 3" and "column_3" are one.
std::optional<SaidColumn> saidColumn(std::string_view header);

// Columns of one source, said while it is read on this thread; they go before those above.
class SaidOfSource {
public:
    explicit SaidOfSource(const SaidColumns& columns);
    SaidOfSource(const SaidOfSource&) = delete;
    SaidOfSource& operator=(const SaidOfSource&) = delete;
    ~SaidOfSource();

private:
    const SaidColumns* m_before;
};

} // namespace trainscope::importers
