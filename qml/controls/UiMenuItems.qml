import QtQml.Models
import QtQuick.Templates as T

// Items of a menu that are made from a model, behind `first` others.
Instantiator {
    id: items

    required property T.Menu into
    property int first: 0

    onObjectAdded: (index, item) => items.into.insertItem(items.first + index, item as T.MenuItem)
    onObjectRemoved: (index, item) => items.into.removeItem(item as T.MenuItem)
}
