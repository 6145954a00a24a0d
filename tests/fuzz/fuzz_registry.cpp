// A folder of files, each a part of the input that begins with the letter of its name: planned, or
// listed with a reason; and what is planned is imported.

#include "fuzz/Importing.h"
#include "fuzz/Inputs.h"

#include "importers/registry/CountingSink.h"
#include "importers/registry/Registry.h"

#include <array>
#include <cstdlib>
#include <map>
#include <set>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

fuzz::Files filesOf(fuzz::Input input) {
    constexpr std::array kNames{"run/gpu_power_0.csv", "run/1_kineto/trace_0.json", "run/smi.txt",
        "run/launch.yaml", "run/train.sh", "run/train.log", "run/et_0.json", "run/topo.xml",
        "run/nccl_trace_rank_0", "run/results.csv", "other/gpu_power_0.csv", "launch.json"};
    std::map<std::string, std::string> files;
    for (const std::string& part : fuzz::partsOf(input, 6)) {
        if (!part.empty())
            files[kNames[static_cast<unsigned char>(part[0] - 'a') % kNames.size()]]
                = part.substr(1);
    }
    return {files.begin(), files.end()};
}

void requireAccounts(const SourceTree& tree, const ImportPlan& plan) {
    std::set<std::string> accounted;
    for (const auto& unit : plan.units) {
        accounted.insert(unit.files.begin(), unit.files.end());
        accounted.insert(unit.launchFiles.begin(), unit.launchFiles.end());
    }
    for (const auto& left : plan.unrecognised) {
        if (left.reason.empty())
            std::abort();
        accounted.insert(left.path);
    }
    for (const SourceFile& file : tree.files()) {
        if (!accounted.contains(file.path))
            std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto tree = memoryTree(filesOf({data, size}));
    const auto plan = planImport(*tree, {});
    if (!plan.hasValue())
        std::abort();
    requireAccounts(*tree, plan.value());
    for (const auto& unit : plan.value().units)
        fuzz::importUnit<test::CountingSink>(*findImporter(unit.importer), *tree, unit);
    return 0;
}
