// The README's table of formats is the list of the code, in its order and words.
#include "importers/registry/Registry.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <fstream>
#include <string>
#include <vector>

using namespace trainscope;

namespace {

std::vector<std::string> rowsOf(const std::string& path, const std::string& head) {
    std::ifstream file(path);
    std::vector<std::string> rows;
    bool isInside = false;
    for (std::string line; std::getline(file, line);) {
        isInside = isInside ? line.starts_with('|') : line == head;
        if (isInside && line != head && !line.starts_with("|--"))
            rows.push_back(line);
    }
    return rows;
}

} // namespace

class tst_ReadmeFormats : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tableIsTheCodesList() {
        const std::string source = qEnvironmentVariable("TRAINSCOPE_SOURCE").toStdString();
        if (source.empty())
            QSKIP("TRAINSCOPE_SOURCE does not say where the checkout is");
        const auto rows = rowsOf(source + "/README.md", "| it reads | recognised by content |");
        std::string wanted;
        std::string there;
        for (const auto* importer : importers::registry())
            wanted.append("| ")
                .append(importer->format.name)
                .append(" | ")
                .append(importer->format.description)
                .append(" |\n");
        for (const std::string& row : rows)
            there.append(row).append("\n");
        QVERIFY2(there == wanted, ("The README should have:\n" + wanted).c_str());
    }
};

TRAINSCOPE_TEST(tst_ReadmeFormats)
#include "tst_ReadmeFormats.moc"
