// Reads a manual (index.d.ts, types/*.d.ts): each exported symbol and member with the text that an editor shows for it.
import ts from 'typescript'

interface Symbol {
  /** `AesGcm.encrypt`; the second overload of a function is `splitKey#2`. */
  name: string
  /** Whether people call it: a function, a method or a constructor. */
  isCall: boolean
  /** The text without stars and example; `undefined` if there is no comment. */
  text: string | undefined
  example: string | undefined
}

const withoutStars = (comment: string) =>
  comment.replace(/^\/\*\*\s*|\s*\*\/$/g, '').replace(/^[ \t]*\* ?/gm, '')

const EXAMPLE = /^@example\n([\s\S]*?)(?=\n@|$(?![\s\S]))/m

function read(node: ts.Node, name: string): Symbol {
  const comments = (ts.getJSDocCommentsAndTags(node) as readonly ts.Node[]).filter(ts.isJSDoc)
  const comment = comments.at(-1)
  const isCall = ts.isFunctionLike(node) && !ts.isAccessor(node)
  if (comment === undefined) return { name, isCall, text: undefined, example: undefined }
  const text = withoutStars(comment.getText())
  return { name, isCall, text: text.replace(EXAMPLE, '').trim(), example: EXAMPLE.exec(text)?.[1]?.trim() }
}

const isPrivate = (node: ts.Node) =>
  ts.canHaveModifiers(node) &&
  ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) === true

/** The members of a class, an interface or a literal type, and those of their properties' literal types. */
function* members(node: ts.Node, name: string): Generator<Symbol> {
  const { members: list = [] } = node as { members?: readonly ts.NamedDeclaration[] }
  for (const member of list) {
    if (isPrivate(member)) continue
    const path = `${name}.${member.name?.getText() ?? 'constructor'}`
    yield read(member, path)
    const { type } = member as { type?: ts.Node }
    if (type === undefined || ts.isFunctionLike(member)) continue
    const types = ts.isUnionTypeNode(type) ? type.types : [type]
    for (const part of types) if (ts.isTypeLiteralNode(part)) yield* members(part, path)
  }
}

/** Whether an interface only adds what it extends to the class of its name, whose text an editor shows for both. */
const isRestOfClass = (node: ts.Node, { statements }: ts.SourceFile) =>
  ts.isInterfaceDeclaration(node) &&
  node.members.length === 0 &&
  statements.some(other => ts.isClassDeclaration(other) && other.name?.text === node.name.text)

/** The exported symbols of a manual, in order. */
export function symbols(manual: string): Symbol[] {
  const file = ts.createSourceFile('manual.d.ts', manual, ts.ScriptTarget.Latest, true)
  const found: Symbol[] = []
  for (const statement of file.statements) {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    if (!isExported) continue
    const declared = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations[0]
      : (statement as unknown as ts.NamedDeclaration)
    const name = declared?.name?.getText() ?? ''
    if (isRestOfClass(statement, file)) continue
    const earlier = found.filter(symbol => symbol.name.replace(/#.*/, '') === name).length
    found.push(read(statement, earlier === 0 ? name : `${name}#${earlier + 1}`))
    found.push(...members(statement, name))
  }
  return found
}

/** The text up to the first empty line, list or tag. */
const firstParagraph = (text: string) => text.split(/\n\n|\n- |\n@/)[0] as string

/** A sentence ends with a full stop, and has none inside: full stops in code do not count. */
const isOneSentence = (paragraph: string) =>
  /^[^.!?]+\.$/.test(paragraph.replace(/`[^`]*`|\{@link [^}]*\}/g, 'code').replace(/\d(?:\.\d)+/g, '0'))

const words = (text: string) =>
  text
    .replace(/^@\w+/gm, '')
    .split(/\s+/)
    .filter(word => /\w/.test(word)).length

/** What is wrong with the text of a symbol, if anything. */
export function faults({ name, isCall, text, example }: Symbol): string[] {
  if (text === undefined) return [`${name}: no comment`]
  const wrong: string[] = []
  if (!isOneSentence(firstParagraph(text))) wrong.push(`${name}: does not begin with one sentence`)
  if (words(text) > 130) wrong.push(`${name}: ${words(text)} words`)
  if (example === undefined && isCall && !WITHOUT_EXAMPLE.test(name)) wrong.push(`${name}: no example`)
  if (example !== undefined && example.split('\n').length > 4) wrong.push(`${name}: a long example`)
  return wrong
}

/** What programs do not call themselves: `using` and this package do. */
const WITHOUT_EXAMPLE = /\[Symbol\.dispose\]$|Error\.constructor$/

/** The JavaScript of an example, some of which have types. */
export const compiled = (example: string) =>
  ts.transpileModule(example, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  }).outputText
