#pragma once
// DynamicLibrary: a shared library that is loaded while the program runs, since machines without
// the device have no such library.

#include "core/model/Result.h"

#include <string>
#include <vector>

namespace trainscope::record {

class DynamicLibrary {
public:
    // The first of the names that can be loaded. NotFound says what the loader said of the last.
    static Result<DynamicLibrary> open(const std::vector<std::string>& names);
    DynamicLibrary(DynamicLibrary&& other) noexcept;
    DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;
    ~DynamicLibrary();

    // nullptr where the library, perhaps an older one, has no such function.
    template <typename Function>
    [[nodiscard]] Function function(const char* name) const {
        return reinterpret_cast<Function>(symbol(name));
    }

private:
    explicit DynamicLibrary(void* handle)
        : m_handle(handle) { }
    [[nodiscard]] void* symbol(const char* name) const;

    void* m_handle;
};

} // namespace trainscope::record
