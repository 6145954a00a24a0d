import QtQuick.Templates as T
import Trainscope.App

// Something that the window can do, for its menu, its buttons and its keys: `keys` is its name in KeyMap.
T.Action {
    property string keys: ""
    readonly property string hint: KeyMap.hint(keys)

    shortcut: hint
}
