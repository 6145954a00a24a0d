#pragma once
// DynamicLibrary: a shared library that is loaded while the program runs, since machines without
// the device have no such library.

#include "core/model/Result.h"

#include <string>
#include <vector>

namespace trainscope::record {

class DynamicLibrary {
public:
    // The first of the names that can be loaded: each where the loader looks, then those without a
    // folder in those of LD_LIBRARY_PATH and where distributions and containers keep a driver's
    // libraries. A loader that came with the program knows neither. NotFound says what the loader
    // said of a file that is there, else of the last name.
    static Result<DynamicLibrary> open(const std::vector<std::string>& names);
    DynamicLibrary(DynamicLibrary&& other) noexcept;
    DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;
    ~DynamicLibrary();

    // Becomes a pointer to a function of whatever type.
    struct Symbol {
        void* address = nullptr;
        template <typename Function>
        operator Function*() const {
            return reinterpret_cast<Function*>(address);
        }
    };
    // nullptr where the library, perhaps an older one, has no such function.
    Symbol operator[](const char* name) const;
    Symbol either(const char* name, const char* olderName) const;

private:
    explicit DynamicLibrary(void* handle)
        : m_handle(handle) { }

    void* m_handle;
};

} // namespace trainscope::record
