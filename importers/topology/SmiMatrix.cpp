#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "importers/common/TextCleaning.h"
#include "importers/topology/TopologyFile.h"

#include <fmt/format.h>

namespace trainscope::importers::topology {

namespace {

using layout::DeviceKind;
using layout::PathKind;
using layout::Topology;
using layout::TopologyDevice;
using layout::TopologyPath;

std::vector<std::string> linesOf(std::string_view text) {
    const auto lines = words(text, "\r\n");
    return {lines.begin(), lines.end()};
}

std::vector<std::string> wordsOf(std::string_view line) {
    const auto parts = words(line, " \t");
    return {parts.begin(), parts.end()};
}

bool isGpu(const std::string& name) {
    return name.starts_with("GPU") && wholeNumber<int>(std::string_view(name).substr(3));
}

std::optional<TopologyPath> pathFrom(const std::string& cell) {
    static const std::map<std::string, PathKind> kinds{{"X", PathKind::Self},
        {"PIX", PathKind::Pix}, {"PXB", PathKind::Pxb}, {"PHB", PathKind::Phb},
        {"NODE", PathKind::Node}, {"SYS", PathKind::Sys}, {"SOC", PathKind::Sys}};
    if (const auto found = kinds.find(cell); found != kinds.end())
        return TopologyPath{found->second, 0, false, std::nullopt};
    if (!cell.starts_with("NV"))
        return std::nullopt;
    const auto links = wholeNumber<int>(std::string_view(cell).substr(2));
    if (!links || *links < 1)
        return std::nullopt;
    return TopologyPath{PathKind::NvLink, *links, false, std::nullopt};
}

// The devices of the heading: what stands before "CPU Affinity".
std::vector<std::string> devicesOf(const std::string& heading) {
    auto names = wordsOf(heading);
    names.erase(std::ranges::find(names, "CPU"), names.end());
    return names;
}

// "NIC0: mlx5_0"
std::map<std::string, std::string> legendOf(const std::vector<std::string>& lines) {
    std::map<std::string, std::string> legend;
    for (const auto& line : lines) {
        const auto cells = wordsOf(line);
        if (cells.size() == 2 && cells[0].ends_with(':') && cells[0].starts_with("NIC"))
            legend[cells[0].substr(0, cells[0].size() - 1)] = cells[1];
    }
    return legend;
}

struct Matrix {
    std::vector<std::string> names;
    std::map<std::string, std::vector<std::string>> rows; // the words behind the name
};

std::optional<Matrix> matrixOf(const std::vector<std::string>& lines) {
    const auto heading = std::ranges::find_if(lines, [](const std::string& line) {
        const auto cells = wordsOf(line);
        return cells.size() > 1 && isGpu(cells[0]) && cells[1] != "X" && !pathFrom(cells[1]);
    });
    if (heading == lines.end())
        return std::nullopt;
    Matrix matrix{devicesOf(*heading), {}};
    for (auto line = heading + 1; line != lines.end(); ++line) {
        auto cells = wordsOf(*line);
        if (cells.size() <= matrix.names.size()
            || std::ranges::find(matrix.names, cells[0]) == matrix.names.end())
            continue;
        const std::string name = cells[0];
        cells.erase(cells.begin());
        matrix.rows.emplace(name, std::move(cells));
    }
    // Words of peer access alone ("OK", "NS"; nvidia-smi topo -p2p) are no paths.
    const bool tellsPaths = std::ranges::any_of(matrix.rows, [&matrix](const auto& row) {
        const auto end = row.second.begin() + static_cast<std::ptrdiff_t>(matrix.names.size());
        return std::any_of(row.second.begin(), end,
            [](const std::string& cell) { return cell != "X" && pathFrom(cell); });
    });
    if (!tellsPaths && matrix.names.size() > 1)
        return std::nullopt;
    return matrix;
}

TopologyDevice deviceOf(const std::string& name, const Matrix& matrix,
    const std::map<std::string, std::string>& legend) {
    TopologyDevice device;
    device.kind = isGpu(name) ? DeviceKind::Gpu : DeviceKind::Nic;
    const auto digits = name.find_last_not_of("0123456789");
    device.index = wholeNumber<int>(std::string_view(name).substr(digits + 1)).value_or(0);
    const auto said = legend.find(name);
    device.name = said == legend.end() ? name : said->second;
    // Behind the paths: CPU affinity, NUMA affinity.
    const auto row = matrix.rows.find(name);
    const std::size_t numaAt = matrix.names.size() + 1;
    if (row != matrix.rows.end() && row->second.size() > numaAt)
        device.numa = wholeNumber<int>(row->second[numaAt]);
    return device;
}

} // namespace

Result<TopologyFile> readSmiMatrix(std::string_view text, const std::string& where) {
    const auto lines = linesOf(withoutEscapes(text));
    const auto matrix = matrixOf(lines);
    if (!matrix || matrix->rows.empty())
        return Error{ErrorCode::Unrecognised,
            "This is no output of nvidia-smi topo -m: there is no heading with GPU0 and rows below "
            "it.",
            where};
    const auto legend = legendOf(lines);
    std::vector<TopologyDevice> devices;
    for (const auto& name : matrix->names)
        devices.push_back(deviceOf(name, *matrix, legend));
    // As Topology orders the devices.
    auto names = matrix->names;
    const auto keyOf = [&](const std::string& name) {
        const auto device = deviceOf(name, *matrix, legend);
        return std::pair(device.kind, device.index);
    };
    std::ranges::stable_sort(
        names, [&](const auto& a, const auto& b) { return keyOf(a) < keyOf(b); });
    TopologyFile file{
        "nvidia-smi topo -m", Topology(std::move(devices)), {}, false, catalogue::Vendor::Nvidia};
    for (std::size_t a = 0; a < names.size(); ++a) {
        const auto row = matrix->rows.find(names[a]);
        if (row == matrix->rows.end()) {
            file.warnings.push_back(fmt::format("there is no row for {}", names[a]));
            continue;
        }
        for (std::size_t b = 0; b < names.size(); ++b) {
            const auto column = std::ranges::find(matrix->names, names[b]);
            const auto& cell
                = row->second[static_cast<std::size_t>(column - matrix->names.begin())];
            if (const auto path = pathFrom(cell))
                file.topology.setOneWay(a, b, *path);
            else
                file.warnings.push_back(
                    fmt::format("\"{}\" between {} and {} is not known", cell, names[a], names[b]));
        }
    }
    if (file.topology.isLopsided())
        file.warnings.push_back("the matrix is not the same in both directions");
    return file;
}

Result<TopologyFile> readTopology(std::string_view text, const std::string& where) {
    const auto first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (first != std::string_view::npos && text[first] == '<')
        return readNcclXml(text.substr(first), where);
    auto matrix = readSmiMatrix(text, where);
    if (matrix.hasValue())
        return matrix;
    return Error{ErrorCode::Unrecognised,
        "This is neither an NCCL topology (XML with an element \"system\") nor the output of "
        "nvidia-smi topo -m.",
        where};
}

} // namespace trainscope::importers::topology
