#pragma once
// The column order of a GPU log, read from its first lines: separator, header or what stands in for
// it, how stamps are written, and what tells the GPUs apart.

#include "core/model/Result.h"
#include "core/model/Time.h"
#include "importers/common/HeadLines.h"
#include "importers/common/Stamp.h"
#include "importers/nvsmi/Column.h"
#include "importers/nvsmi/Guess.h"
#include "importers/nvsmi/LogGpus.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::nvsmi {

struct ColumnOrder {
    enum class Shape {
        Rows, // one GPU per line
        Table, // the drawn table of plain `nvidia-smi`
    };
    Shape shape = Shape::Rows;
    char separator = ',';
    bool hasHeader = false;
    std::vector<Column> columns;
    int stamp = -1; // columns by their part, -1: none
    int gpu = -1; // what tells GPUs apart
    int host = -1;
    int name = -1;
    int uuid = -1;
    Rhythm rhythm; // used when gpu is -1
    std::optional<StampKind> clock; // of the first stamp
    TimeNs firstStamp; // where there is a clock
    std::string model; // that the first row names
    int gpusSeen = 0; // in the lines read
    int hostsSeen = 0;
    int highestIndex = -1; // of the GPU column where it holds numbers
    int confidence = 0; // as Importer::sniff
    std::vector<std::string> notes; // what was inferred
    std::vector<std::string> warnings; // what is left out or cannot be told
};

// Unrecognised where the lines are no GPU log.
Result<ColumnOrder> readColumnOrder(const std::vector<std::string>& lines);

// The columns of that line when it is a header, else empty. For headers in mid-file.
std::vector<Column> headerColumns(std::string_view line, char separator);

// Whether two headers name the same columns in the same order.
bool sameHeader(const std::vector<Column>& a, const std::vector<Column>& b);

// Sets stamp, host, name and uuid: the first column of each.
void findParts(ColumnOrder& order);

// Sets gpu, rhythm, clock and the counts of `order` from the first rows.
void settleIdentity(ColumnOrder& order, const std::vector<Cells>& rows);

} // namespace trainscope::importers::nvsmi
