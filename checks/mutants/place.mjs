// Where a part of a TypeScript file lies: the function round it, and whether it is a sentence for people.
import ts from 'typescript'

const NAMED = [
  ts.isFunctionDeclaration,
  ts.isMethodDeclaration,
  ts.isClassDeclaration,
  ts.isVariableDeclaration,
  ts.isGetAccessor,
  ts.isSetAccessor,
  ts.isPropertyAssignment,
  ts.isPropertyDeclaration,
]

/** Functions and classes that make errors of what they are given. */
const REFUSAL = /Error$|^(mistake|outOfRange|notBytes|wrong\w+|invalid\w+|(\w+\.)?refuse)$/

/**
 * Whether a text is a sentence for people: it has at least three words, or a space, and is a part of what is thrown or an argument of a
 * function that makes errors. Labels of key schedules have at most two words.
 */
function isForPeople(node) {
  const text = node.getText()
  if (/\w+\W* \W*\w+.* \W*\w/.test(text)) return true
  if (!/\w.* /.test(text)) return false
  for (let at = node; at; at = at.parent) {
    if (ts.isThrowStatement(at)) return true
    if ((ts.isNewExpression(at) || ts.isCallExpression(at)) && REFUSAL.test(at.expression.getText()))
      return true
    if (ts.isStatement(at) && !ts.isReturnStatement(at)) return false
  }
  return false
}

/** A function that gives { within, forPeople } for the part of the file from `start` to `end`, { line, column } from 0. */
export function placeOf(name, content) {
  const file = ts.createSourceFile(name, content, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)
  return (start, end) => {
    const from = file.getPositionOfLineAndCharacter(start.line, start.column)
    const to = file.getPositionOfLineAndCharacter(end.line, end.column)
    const names = []
    let node = file
    for (;;) {
      const inner = node.getChildren().find(child => child.getStart() <= from && to <= child.getEnd())
      if (!inner) break
      node = inner
      if (NAMED.some(is => is(node)) && (node.getStart() < from || to < node.getEnd()))
        names.push(node.name.getText())
      else if (ts.isConstructorDeclaration(node)) names.push('constructor')
    }
    return { within: names.slice(0, 3).join('.'), forPeople: isForPeople(node) }
  }
}
