#include "core/analysis/traces/KernelNames.h"

#include "core/analysis/machine/CollectiveDetail.h"
#include "core/model/Try.h"

#include <utility>

namespace trainscope::analysis {

Result<const KernelNames::Kernel*> KernelNames::kernel(NameId name) {
    if (const auto found = m_kernels.find(name); found != m_kernels.end())
        return &found->second;
    Kernel kernel;
    if (name.isValid()) {
        ASSIGN_OR_RETURN(auto text, m_store.name(name));
        kernel.name = std::move(text);
    }
    kernel.isCommunication = KernelCategories::isCommunication(kernel.name);
    kernel.category = m_categories.categoryOf(kernel.name);
    return &m_kernels.emplace(name, std::move(kernel)).first->second;
}

Result<const std::string*> KernelNames::category(const Kernel& kernel, const Span& span) {
    if (!kernel.isCommunication || !span.detail.isValid())
        return &kernel.category;
    const std::pair key{span.name, span.detail};
    if (const auto found = m_collectives.find(key); found != m_collectives.end())
        return &found->second;
    ASSIGN_OR_RETURN(const auto detail, m_store.name(span.detail));
    std::string category(
        m_categories.categoryOf(kernel.name, parseCollectiveDetail(detail).collective));
    return &m_collectives.emplace(key, std::move(category)).first->second;
}

} // namespace trainscope::analysis
