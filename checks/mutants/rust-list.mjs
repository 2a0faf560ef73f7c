// Lists the mutants of a Rust file: operators, guards of match arms, and functions that return at once, the genres of cargo-mutants.
//
// A mutant says which part of the file it replaces, from `from` to `to`, and by which text. A choice at run time is not possible in a
// constant, so mutants there are marked `constant`.
const BINARY = {
  '==': ['!='],
  '!=': ['=='],
  '<': ['==', '>', '<='],
  '<=': ['>'],
  '>': ['==', '<', '>='],
  '>=': ['<'],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-', '*'],
  '-': ['+', '/'],
  '*': ['+', '/'],
  '/': ['%', '*'],
  '%': ['/', '+'],
  '<<': ['>>'],
  '>>': ['<<'],
  '&': ['|', '^'],
  '|': ['&', '^'],
  '^': ['|', '&'],
  '+=': ['-=', '*='],
  '-=': ['+=', '/='],
  '*=': ['+=', '/='],
  '/=': ['%=', '*='],
  '%=': ['/=', '+='],
  '<<=': ['>>='],
  '>>=': ['<<='],
  '&=': ['|='],
  '|=': ['&='],
  '^=': ['|=', '&='],
}

/** Values that a function of this type may return instead of its own. */
function values(type) {
  if (type === undefined || type === '()') return ['()']
  if (type === 'bool') return ['true', 'false']
  if (/^[iu](8|16|32|64|128|size)$/.test(type)) return ['0', '1']
  if (/^f(32|64)$/.test(type)) return ['0.0', '1.0']
  const option = /^Option<(.+)>$/.exec(type)
  if (option) return ['None', ...values(option[1]).map(value => `Some(${value})`)]
  const result = /^Result<(.+?)(, [\w:]+)?>$/.exec(type)
  if (result) return values(result[1]).map(value => `Ok(${value})`)
  const array = /^\[u8; \w+\]$/.test(type)
  if (array) return ['core::array::from_fn(|_| 0)', 'core::array::from_fn(|_| 1)']
  if (/^&('\w+ )?str$/.test(type)) return ['""', '"xyzzy"']
  if (/^&('\w+ )?mut \[.*\]$/.test(type)) return ['&mut []']
  if (/^&('\w+ )?\[.*\]$/.test(type)) return ['&[]']
  if (/^Vec<.*>$/.test(type)) return ['Vec::new()']
  if (type === 'Outcome') return ['Ok(Default::default())']
  if (/^(impl|dyn|!|&)/.test(type)) return []
  return ['Default::default()'] // where the type has one; the compiler refuses the others
}

/** Attributes that keep an item from these tests: of tests themselves, and of other systems and processors. */
const ELSEWHERE =
  /cfg\((all\()?test|#\[test\]|cfg\((windows|target_os = "(macos|windows)"|target_arch = "aarch64"|not\((unix|target_os = "linux"|target_arch = "x86_64"|feature = "node")\))/

/** Nodes whose insides are evaluated by the compiler, or are not expressions of this file. */
const CONSTANT =
  'const_item static_item const_block enum_variant array_type type_arguments const_parameter'.split(' ')
const SKIPPED = `
  macro_invocation macro_definition attribute_item inner_attribute_item use_declaration let_condition
`
  .trim()
  .split(/\s+/)

/** All mutants of a file: `tree` is what the parser made of `content`. */
export function mutantsOfRust(file, content, tree) {
  const found = []
  const add = (node, operator, within, constant, texts) => {
    for (const text of texts)
      found.push({ file, within, constant, operator, from: node.startIndex, to: node.endIndex, ...text })
  }
  const visit = (node, within, constant) => {
    if (SKIPPED.includes(node.type)) {
      for (const child of node.type === 'let_condition' ? [node.childForFieldName('value')] : [])
        visit(child, within, constant)
      return
    }
    if (elsewhere(node)) return
    if (CONSTANT.includes(node.type)) constant = true
    if (node.type === 'function_item') {
      const modifiers = node.namedChildren.find(child => child.type === 'function_modifiers')?.text ?? ''
      constant = /\bconst\b/.test(modifiers)
      within = [within, node.childForFieldName('name').text].filter(Boolean).join('::')
      const body = node.childForFieldName('body')
      const type = node.childForFieldName('return_type')?.text
      for (const value of values(type)) {
        const inner = body.text.slice(1, -1).trim()
        if (inner === value || inner === '') continue
        found.push({
          file,
          within,
          constant,
          genre: 'value',
          operator: name(node),
          from: body.startIndex + 1,
          to: body.endIndex - 1,
          replacement: value,
        })
      }
    }
    if (node.type === 'impl_item') within = node.childForFieldName('type').text.replace(/<.*/s, '')
    if (node.type === 'binary_expression' || node.type === 'compound_assignment_expr') {
      const operator = node.childForFieldName('operator')
      // `&&` between a `let` and a condition is no expression.
      const chained = node.descendantsOfType('let_condition').length > 0 || node.parent.type === 'let_chain'
      if (!chained)
        add(
          node,
          operator,
          within,
          constant,
          (BINARY[operator.text] ?? []).map(replacement => ({ genre: 'operator', replacement })),
        )
    }
    if (
      node.type === 'unary_expression' &&
      /^[!-]/.test(node.text) &&
      node.namedChild(0).type !== 'integer_literal'
    )
      add(node, node.child(0), within, constant, [{ genre: 'unary', replacement: '' }])
    if (node.type === 'match_pattern' && node.childForFieldName('condition')) {
      const guard = node.childForFieldName('condition')
      if (!/^let/.test(guard.type))
        add(guard, guard, within, constant, [
          { genre: 'guard', replacement: 'true' },
          { genre: 'guard', replacement: 'false' },
        ])
    }
    const length = node.type === 'array_expression' ? node.childForFieldName('length') : null
    for (const child of node.namedChildren) visit(child, within, constant || child.id === length?.id)
  }
  const elsewhere = node => {
    for (
      let at = node.previousNamedSibling;
      at && ['attribute_item', 'line_comment'].includes(at.type);
      at = at.previousNamedSibling
    )
      if (ELSEWHERE.test(at.text)) return true
    return false
  }
  const name = node => node.childForFieldName('name')
  visit(tree.rootNode, '', false)
  return found.map(mutant => finish(mutant, content))
}

/** The text that stands for the part from `from` to `to` in the mutant. */
function finish({ operator, ...mutant }, content) {
  const { genre, from, to, replacement } = mutant
  const [start, end] = [operator.startIndex, operator.endIndex]
  const text =
    { value: replacement, guard: replacement }[genre] ??
    content.slice(from, start) + replacement + content.slice(end, to)
  return { ...mutant, text, start, end }
}
