#pragma once
// A page has one thread: the pool of the process has no workers. Stands before the room's own
// header.

namespace trainscope {

class WorkerPool {
public:
    explicit WorkerPool(unsigned /*workers*/ = 0) { }
    static WorkerPool& shared() {
        static WorkerPool pool;
        return pool;
    }
    [[nodiscard]] unsigned workers() const { return 0; }
};

} // namespace trainscope
