// Refuses fields of an object that are not `known`, such as misspelled ones, which nothing would
// read.
function(name, object, known=std.objectFields(object)) object {
  local names = std.set(known),
  local unknown = std.setDiff(std.objectFields(self), names),
  assert unknown == [] :
         '%s: expected only %s, found %s' % [name, std.join(', ', names), std.join(', ', unknown)],
}
