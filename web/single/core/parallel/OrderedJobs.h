#pragma once
// Jobs of a page run where they are handed in. Stands before the room's own header.

#include "core/parallel/WorkerPool.h"

#include <cstddef>
#include <functional>
#include <utility>

namespace trainscope {

template <typename Output>
class OrderedJobs {
public:
    using Take = std::function<void(Output&&)>;
    OrderedJobs(WorkerPool& /*pool*/, std::size_t /*mostWaiting*/, Take take)
        : m_take(std::move(take)) { }
    void submit(const std::function<Output()>& work) { m_take(work()); }
    void finish() { }
    void abandon() { }

private:
    Take m_take;
};

} // namespace trainscope
