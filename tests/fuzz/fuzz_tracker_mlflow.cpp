// Folders and databases of MLflow with changes: a report or an error, no crash, no hang, no memory
// without bounds. The first byte says which.

#include "fuzz/Importing.h"
#include "fuzz/Inputs.h"

#include "importers/common/Formats.h"
#include "importers/tracker/MadeRuns.h"

#include <cstddef>
#include <cstdint>
#include <string>

using namespace trainscope;
using namespace trainscope::importers;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string database = test::mlflowDatabase();
    fuzz::Input input(data, size);
    const std::size_t choice = fuzz::takeChoice(input, 2);
    const auto tree = memoryTree(choice == 0 ? fuzz::changed(test::mlflowFolder(), input)
                                             : fuzz::changed({{"mlflow.db", database}}, input));
    const Importer& importer = tracker::kMlflowImporter;
    for (const SourceFile& file : tree->files()) {
        const std::string head = readHead(*tree, file.path, 65536).valueOr(std::string());
        (void)importer.sniff(head, file.path);
        (void)importer.look(*tree, file, head);
    }
    fuzz::importAll<test::RecordingSink>(importer, *tree);
    return 0;
}
