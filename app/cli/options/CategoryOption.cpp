#include "app/cli/options/CategoryOption.h"

#include "app/cli/options/AddOption.h"
#include "core/catalogue/Tables.h"

namespace trainscope::cli {

using analysis::KernelCategories;

void addCategories(CLI::App& command, std::string& choice) {
    addOption(command, "--categories", choice,
        "Sort kernels by this table: default, charllm (CharLLM-PPT's classes) or a JSON file",
        "TABLE")
        ->check(suggesting("default charllm"));
}

Result<KernelCategories> chosenCategories(const std::string& choice) {
    return choice.empty() ? KernelCategories::fromFolder(catalogue::configFolder())
                          : KernelCategories::fromChoice(choice);
}

} // namespace trainscope::cli
