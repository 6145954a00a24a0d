#include "core/model/Span.h"

namespace trainscope { } // namespace trainscope
