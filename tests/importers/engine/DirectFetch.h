#pragma once
// A fetcher that asks a simulated engine directly, and can fail or change answers on the way.

#include "core/model/Import.h"
#include "importers/engine/Asking.h"
#include "support/SimulatedEngine.h"

#include <atomic>
#include <functional>
#include <optional>

namespace trainscope::test {

class DirectFetch final : public importers::engine::Fetcher {
public:
    using Interfere = std::function<std::optional<Result<importers::engine::HttpAnswer>>(
        int index, const importers::engine::HttpRequest&)>;

    explicit DirectFetch(SimulatedEngine& engine, Interfere interfere = {})
        : m_engine(engine)
        , m_interfere(std::move(interfere)) { }

    std::unique_ptr<importers::engine::PendingAnswer> ask(
        importers::engine::HttpRequest request) override {
        if (m_interfere) {
            if (auto instead = m_interfere(m_count, request)) {
                ++m_count;
                return std::make_unique<Ready>(std::move(*instead));
            }
        }
        ++m_count;
        auto answer = m_engine.ask(request.path, request.parameters);
        const auto bytes = static_cast<std::uint64_t>(answer.body.size());
        return std::make_unique<Ready>(
            importers::engine::HttpAnswer{answer.status, std::move(answer.body), bytes, 0});
    }

    [[nodiscard]] int count() const { return m_count; }

private:
    class Ready final : public importers::engine::PendingAnswer {
    public:
        explicit Ready(Result<importers::engine::HttpAnswer> answer)
            : m_answer(std::move(answer)) { }
        Result<importers::engine::HttpAnswer> wait(
            const importers::engine::IsCancelled& isCancelled) override {
            if (isCancelled && isCancelled())
                return cancelled();
            return std::move(m_answer);
        }

    private:
        Result<importers::engine::HttpAnswer> m_answer;
    };

    SimulatedEngine& m_engine;
    Interfere m_interfere;
    int m_count = 0;
};

} // namespace trainscope::test
