#pragma once
// Connections to the database of a store, by which several threads read it at once: the store's
// own, and others that are opened when all are in use and closed with this. While one is borrowed
// the store is used by borrowers only.

#include "core/model/Result.h"
#include "core/store/Store.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace trainscope::figures {

class SideReaders {
public:
    explicit SideReaders(const store::Store& store);

    // Returns the Result of read(store), with a connection that nobody else uses meanwhile. Any
    // thread.
    template <typename Read>
    auto with(Read&& read) -> decltype(read(std::declval<const store::Store&>())) {
        auto borrowed = take();
        if (!borrowed.hasValue())
            return borrowed.error();
        auto answer = read(*borrowed.value());
        giveBack(borrowed.value());
        return answer;
    }

private:
    Result<const store::Store*> take();
    void giveBack(const store::Store* store);

    const store::Store& m_store;
    std::mutex m_mutex;
    std::vector<const store::Store*> m_free;
    std::vector<std::unique_ptr<const store::Store>> m_opened;
};

} // namespace trainscope::figures
