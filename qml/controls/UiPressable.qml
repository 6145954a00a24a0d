import QtQuick
import QtQuick.Templates as T
import Trainscope

// A button that Enter and a screen reader press as the pointer does. Text from a file is a
// `label`: in `text` an ampersand would make a letter of it a key of the whole window.
T.Button {
    id: button

    property string label: ""
    property string iconName: icon.name
    property string shortcutText: (action as UiCommand)?.hint ?? ""
    readonly property string shown: label === "" ? text : label

    focusPolicy: Qt.StrongFocus
    Accessible.name: shown
    Keys.onReturnPressed: button.press()
    Keys.onEnterPressed: button.press()
    Accessible.onPressAction: button.press()

    function press() {
        if (!button.enabled)
            return;
        if (button.action)
            return button.action.trigger(button);
        if (button.checkable) {
            button.toggle();
            button.toggled();
        }
        button.clicked();
    }
}
