// Work of operators against another tool's reports on real traces, row by row.

#include "core/work/TracedWork.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::work;

namespace {

using Row = std::map<std::string, std::string>;

// Quoted fields hold commas; doubled quotes stand for one.
std::vector<std::string> fieldsOf(const std::string& line) {
    std::vector<std::string> fields(1);
    bool isQuoted = false;
    for (const char c : line) {
        if (c == '"')
            isQuoted = !isQuoted;
        else if (c == ',' && !isQuoted)
            fields.emplace_back();
        else if (c != '\r')
            fields.back().push_back(c);
    }
    return fields;
}

std::vector<Row> rowsOf(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const auto header = fieldsOf(line);
    std::vector<Row> rows;
    while (std::getline(file, line)) {
        const auto fields = fieldsOf(line);
        Row row;
        for (std::size_t i = 0; i < std::min(header.size(), fields.size()); ++i)
            row[header[i]] = fields[i];
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string inDoubleQuotes(std::string python) {
    std::replace(python.begin(), python.end(), '\'', '"');
    return python;
}

// The detail that the importer keeps of such an operator.
std::string detailOf(const Row& row) {
    return R"({"Input Dims":)" + row.at("Input Dims_first") + R"(,"Input type":)"
        + inDoubleQuotes(row.at("Input type_first")) + R"(,"Input Strides":)"
        + row.at("Input Strides_first") + R"(,"Concrete Inputs":)"
        + inDoubleQuotes(row.at("Concrete Inputs_first")) + "}";
}

bool isNear(double value, double expected) {
    return std::abs(value - expected) <= 1e-9 * std::max(1.0, std::abs(expected));
}

struct Compared {
    int rows = 0;
    int unknown = 0;
    int sameFlop = 0;
    int sameBytes = 0;
    std::vector<std::string> otherFlop;
};

Compared compare(const std::string& file) {
    Compared result;
    for (const std::string report :
        {"tracelens_h100_bert_small", "tracelens_h100_qwen", "tracelens_mi300_bert_small",
            "tracelens_mi300_resnet_act_checkpoint", "tracelens_torch_compile_triton"}) {
        for (const Row& row :
            rowsOf(test::realFiles() + "/data/tracelens_reference/" + report + "/" + file)) {
            ++result.rows;
            const auto found = workOf(row.at("name"), detailOf(row));
            if (!found) {
                ++result.unknown;
                continue;
            }
            const double flop = std::stod(row.at("GFLOPS_first")) * 1e9;
            const double bytes = std::stod(row.at("Data Moved (MB)_first")) * 1048576.0;
            if (isNear(found->flop, flop))
                ++result.sameFlop;
            else
                result.otherFlop.push_back(row.at("name") + row.at("Input Dims_first") + " "
                    + std::to_string(found->flop / flop));
            if (isNear(found->bytes, bytes))
                ++result.sameBytes;
        }
    }
    return result;
}

} // namespace

class tst_ReferenceWork : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // FLOP and bytes of every product and every fused attention of five traces (H100, MI300X) are
    // those of TraceLens.
    void productsAndAttentionOfRealTraces() {
        if (test::realFiles().empty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        for (const auto& [file, rows] : {std::pair{"GEMM.csv", 19}, std::pair{"SDPA_fwd.csv", 4}}) {
            const Compared all = compare(file);
            QCOMPARE(all.rows, rows);
            QCOMPARE(all.unknown, 0);
            QCOMPARE(all.sameFlop, rows);
            QCOMPARE(all.sameBytes, rows);
        }
    }

    // The same of convolutions but for the first layer's backward pass: its images need no gradient
    // (output_mask [False, True, False]), which TraceLens counts all the same.
    void convolutionsOfRealTraces() {
        if (test::realFiles().empty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        const Compared forward = compare("CONV_fwd.csv");
        QCOMPARE(forward.rows, 21);
        QCOMPARE(forward.sameFlop, 21);
        QCOMPARE(forward.sameBytes, 21);
        const Compared backward = compare("CONV_bwd.csv");
        QCOMPARE(backward.rows, 11);
        QCOMPARE(backward.sameFlop, 10);
        QCOMPARE(backward.sameBytes, 10);
        QCOMPARE(backward.otherFlop,
            std::vector<std::string>{
                "aten::convolution_backward[[10, 64, 112, 112], [10, 3, 224, 224], [64, 3, 7, 7], "
                "[], [], [], [], [], [], [], []] 0.500000"});
    }

    // FLOP of norms are those of TraceLens. Its bytes are not: it counts the statistics of a layer
    // norm by channels and in the input's type; they are by rows, in 32 bits, and batch norm keeps
    // its own besides.
    void normsOfRealTraces() {
        if (test::realFiles().empty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        const Compared all = compare("Normalization.csv");
        QCOMPARE(all.rows, 27);
        QCOMPARE(all.unknown, 0);
        QCOMPARE(all.sameFlop, 27);
        QCOMPARE(all.sameBytes, 0);
    }
};

TRAINSCOPE_TEST(tst_ReferenceWork)
#include "tst_ReferenceWork.moc"
