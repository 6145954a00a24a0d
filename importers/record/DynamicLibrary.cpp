#include "importers/record/DynamicLibrary.h"

#include <dlfcn.h>

#include <utility>

namespace trainscope::record {

Result<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string>& names) {
    std::string problem;
    for (const std::string& name : names) {
        if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
            return DynamicLibrary(handle);
        problem = dlerror();
    }
    return Error{ErrorCode::NotFound, problem, {}};
}

DynamicLibrary::DynamicLibrary(DynamicLibrary&& other) noexcept
    : m_handle(std::exchange(other.m_handle, nullptr)) { }

DynamicLibrary& DynamicLibrary::operator=(DynamicLibrary&& other) noexcept {
    std::swap(m_handle, other.m_handle);
    return *this;
}

DynamicLibrary::~DynamicLibrary() {
    if (m_handle != nullptr)
        dlclose(m_handle);
}

void* DynamicLibrary::symbol(const char* name) const {
    return dlsym(m_handle, name);
}

} // namespace trainscope::record
