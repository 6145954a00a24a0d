#pragma once
// What a breakdown needs to know about a kernel by its interned name and detail, looked up once
// each.

#include "core/analysis/traces/KernelCategory.h"
#include "core/model/Span.h"
#include "core/store/Store.h"

#include <string>
#include <unordered_map>
#include <utility>

namespace trainscope::analysis {

class KernelNames {
public:
    struct Kernel {
        std::string name;
        std::string category;
        bool isCommunication = false;
    };

    KernelNames(const store::Store& store, const KernelCategories& categories)
        : m_store(store)
        , m_categories(categories) { }

    Result<const Kernel*> kernel(NameId name);
    // By name and, for collectives, by what the detail says.
    Result<const std::string*> category(const Kernel& kernel, const Span& span);

private:
    const store::Store& m_store;
    const KernelCategories& m_categories;
    std::unordered_map<NameId, Kernel> m_kernels;
    struct Hash {
        std::size_t operator()(const std::pair<NameId, NameId>& key) const {
            return std::hash<NameId>{}(key.first) * 1'000'003U ^ std::hash<NameId>{}(key.second);
        }
    };
    std::unordered_map<std::pair<NameId, NameId>, std::string, Hash> m_collectives;
};

} // namespace trainscope::analysis
