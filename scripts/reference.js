/** Writes docs/reference/client.md from the client's doc comments. `--check` fails if the file is outdated. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
// TypeScript 7 has no stable API.
import ts from 'typescript-5.9'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'docs', 'reference', 'client.md')

const text = reference()
if (!process.argv.includes('--check')) {
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
} else if (readOrNothing(target) !== text) {
  console.error('docs/reference/client.md is outdated. Update it with "npm run docs".')
  process.exitCode = 1
}

function reference() {
  const types = exportedTypes().map(({ name, file }) => typeSection(name, file))
  return `${[
    '# Client reference',
    'Made from the doc comments by `npm run docs`. The guide is [the client](../guides/client.md).',
    functionSection('createClient', 'client/index.ts'),
    functionSection('webStore', 'client/auth/auth-state.ts'),
    '## svc.auth',
    ...methodsIn('client/auth/logins.ts'),
    ...methodsIn('client/auth/account.ts'),
    ...methodsIn('client/auth/recovery.ts'),
    ...methodsIn('client/auth/auth.ts'),
    '## svc.auth.twoFactor',
    ...methodsIn('client/auth/two-factor.ts'),
    '## svc.auth.provider(name)',
    ...methodsIn('client/auth/provider-login.ts'),
    '## svc.users',
    ...methodsIn('client/auth/users.ts'),
    '## svc.files',
    ...methodsIn('client/files/files.ts'),
    '## svc.collections',
    ...methodsIn('client/collections/collections.ts'),
    '## svc.collection(name)',
    ...methodsIn('client/collections/collection.ts'),
    ...methodsIn('client/collections/collection-writes.ts'),
    '## svc-toolkit-client/deployed',
    functionSection('forDeployedService', 'client/deployed/index.ts', '###'),
    '## svc-toolkit-client/extensions',
    functionSection('aggregate', 'client/extensions.ts', '###'),
    functionSection('groupBy', 'client/extensions.ts', '###'),
    functionSection('upsert', 'client/extensions.ts', '###'),
    ...['Aggregations', 'Aggregated', 'Group', 'Matching', 'UpsertOptions'].map((name) =>
      typeSection(name, 'client/extensions.ts'),
    ),
    '## svc-toolkit-client/server',
    functionSection('createServerClient', 'client/server.ts', '###'),
    ...[
      ...['ServerClientOptions', 'CookieSource', 'CookieSettings', 'CookieJar', 'CookieAttributes'],
      ...['CookieRequest', 'CookieResponse'],
    ].map((name) => typeSection(name, 'client/server.ts')),
    '## svc-toolkit-client/store',
    functionSection('openStore', 'client/store/index.ts', '###'),
    ...[
      ...['Store', 'Readable', 'Live', 'ListSelection', 'DocumentState'],
      ...['MutationOptions', 'MutationStore', 'MutationCalls', 'MutationState', 'SessionState'],
    ].map((name) => typeSection(name, 'client/store/index.ts')),
    typeSection('LiveState', 'client/store/live-list.ts'),
    typeSection('Mutation', 'client/store/mutation.ts'),
    ...['react', 'vue', 'svelte'].flatMap((framework) => [
      `## svc-toolkit-client/${framework}`,
      functionSection('createHooks', `client/${framework}/index.ts`, '###'),
    ]),
    '## Types',
    ...types,
    '## Error codes',
    errorCodes(),
  ].join('\n\n')}\n`
}

/** Returns the exports of client/index.ts that are not functions, in order. */
function exportedTypes() {
  const { statements } = parseSource('client/index.ts')
  const own = statements
    .filter((each) => ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each))
    .filter(isExported)
    .map(({ name }) => ({ name: name.text, file: 'client/index.ts' }))
  const passedOn = statements.filter(ts.isExportDeclaration).flatMap(({ exportClause, moduleSpecifier }) => {
    if (!exportClause || !ts.isNamedExports(exportClause) || !moduleSpecifier) return []
    const file = resolve('client/index.ts', moduleSpecifier)
    return exportClause.elements.map(({ name }) => ({ name: name.text, file }))
  })
  const chapters = ['Auth', 'CollectionClient', 'ErrorCode', 'Files', 'Users', 'webStore']
  return [...own, ...passedOn].filter(({ name }) => !chapters.includes(name))
}

/** @param {string} name @param {string} file */
function typeSection(name, file) {
  return section(name, typeNamed(name, file), formatType(name, file), '###')
}

/** @param {string} name @param {string} file @param {string} heading */
function functionSection(name, file, heading = '##') {
  const found = parseSource(file).statements.find((each) => ts.isFunctionDeclaration(each) && each.name?.text === name)
  if (!found || !ts.isFunctionDeclaration(found) || !found.body)
    throw new Error(`${file}: function "${name}" not found.`)
  const { text: source } = found.getSourceFile()
  const code = source.slice(found.getStart(), found.body.getStart()).trim()
  return section(name, found, withoutExport(code), heading)
}

/** @param {string} title @param {ts.Node} node @param {string} code @param {string} heading */
function section(title, node, code, heading) {
  const { words, example, throws } = readComment(node)
  const parts = [`${heading} ${title}`, words, fence(code), example && fence(example), throws && `Throws ${throws}`]
  return parts.filter((part) => part).join('\n\n')
}

/** Returns every method of the object that the file opens. Each must have a doc comment. @param {string} file */
function methodsIn(file) {
  const methods = parseSource(file)
    .statements.flatMap((each) => (ts.isFunctionDeclaration(each) ? [...(each.body?.statements ?? [])] : []))
    .flatMap((each) => (ts.isReturnStatement(each) && each.expression ? [each.expression] : []))
    .filter(ts.isObjectLiteralExpression)
    .map(({ properties }) => properties.filter(ts.isMethodDeclaration))
    .find((found) => found.length > 0)
  if (!methods?.length) throw new Error(`${file}: no methods found.`)
  return methods.map((method) => {
    const name = method.name.getText()
    if (ts.getJSDocCommentsAndTags(method).length === 0) throw new Error(`${file}: "${name}" has no doc comment.`)
    return section(name, method, formatSignature(method), '###')
  })
}

/**
 * Formats a method as callers see it: without defaults or destructuring, on one line. @param {ts.MethodDeclaration}
 * method
 */
function formatSignature({ name, typeParameters, parameters, type }) {
  const generics = typeParameters ? `<${typeParameters.map((each) => onOneLine(each)).join(', ')}>` : ''
  const shown = parameters.map((parameter) => {
    const isOptional = parameter.initializer !== undefined || parameter.questionToken !== undefined
    const called = ts.isIdentifier(parameter.name) ? parameter.name.text : 'options'
    return `${called}${isOptional ? '?' : ''}: ${parameter.type ? onOneLine(parameter.type) : 'unknown'}`
  })
  return `${name.getText()}${generics}(${shown.join(', ')}): ${type ? onOneLine(type) : 'void'}`
}

/** @param {ts.Node} node */
function onOneLine(node) {
  return node.getText().replace(/\s*\n\s*/g, ' ')
}

function errorCodes() {
  const words = readEntries('client/protocol/model/error-words.ts')
  const statuses = new Map(readEntries('client/protocol/model/errors.ts'))
  // Codes without a status come only from the client.
  const rows = words.map(([code, said]) => `| \`${code}\` | ${statuses.get(code) ?? '–'} | ${said} |`)
  return ['| `code` | status | means |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Returns the names and values of the tables in a file. @param {string} file @returns {[string, string][]} */
function readEntries(file) {
  /** @type {[string, string][]} */
  const entries = []
  ts.forEachChild(parseSource(file), function visit(node) {
    if (ts.isPropertyAssignment(node) && ts.isLiteralExpression(node.initializer)) {
      const name = ts.isIdentifier(node.name) || ts.isStringLiteral(node.name) ? node.name.text : node.name.getText()
      entries.push([name, node.initializer.text])
    }
    ts.forEachChild(node, visit)
  })
  return entries
}

/** @param {string} name @param {string} file */
function typeNamed(name, file) {
  const found = parseSource(file).statements.find(
    (each) =>
      (ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each) || ts.isClassDeclaration(each)) &&
      each.name?.text === name,
  )
  if (found && (ts.isInterfaceDeclaration(found) || ts.isTypeAliasDeclaration(found) || ts.isClassDeclaration(found))) {
    return found
  }
  throw new Error(`${file}: type "${name}" not found.`)
}

/**
 * Returns a type's code. Interfaces include inherited members, classes their fields. @param {string} name @param
 * {string} file
 */
function formatType(name, file) {
  const found = typeNamed(name, file)
  const code = withoutExport(found.getText())
  if (ts.isClassDeclaration(found)) return `${code.slice(0, code.indexOf('{'))}{\n${fieldLines(found).join('\n')}\n}`
  if (!ts.isInterfaceDeclaration(found) || listBases(found).length === 0) return code
  const head = `interface ${name}${found.typeParameters ? `<${found.typeParameters.map((each) => each.getText()).join(', ')}>` : ''}`
  return `${head} {\n${formatMembers(found, file)}}`
}

/** @param {ts.ClassDeclaration} found */
function fieldLines({ members }) {
  return members.filter(ts.isPropertyDeclaration).flatMap(({ name, type }) => {
    return type ? [`  readonly ${name.getText()}: ${type.getText()}`] : []
  })
}

/** Skips built-in types, which need no description. @param {ts.InterfaceDeclaration} found */
function listBases({ heritageClauses = ts.factory.createNodeArray() }) {
  return heritageClauses
    .flatMap(({ types }) => types.map(({ expression }) => expression.getText()))
    .filter((name) => name !== 'AsyncIterable')
}

/**
 * Returns the lines inside an interface, inherited ones first. @param {ts.InterfaceDeclaration} found @param {string}
 * file @returns {string}
 */
function formatMembers(found, file) {
  const bases = listBases(found).map((name) => {
    const from = findDeclaration(name, file)
    const base = typeNamed(name, from)
    return ts.isInterfaceDeclaration(base) ? formatMembers(base, from) : ''
  })
  const own = found.getSourceFile().text.slice(found.members.pos, found.end - 1)
  return bases.join('') + own.replace('\n', '')
}

/** Finds the file that declares a name. @param {string} name @param {string} file */
function findDeclaration(name, file) {
  const found = parseSource(file)
    .statements.filter(ts.isImportDeclaration)
    .find(({ importClause }) => {
      const bindings = importClause?.namedBindings
      return bindings && ts.isNamedImports(bindings) && bindings.elements.some((each) => each.name.text === name)
    })
  return found ? resolve(file, found.moduleSpecifier) : file
}

/** @param {ts.Node} node */
function readComment(node) {
  const doc = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc)
  /** @param {string} name */
  const tag = (name) => doc?.tags?.find(({ tagName }) => tagName.text === name)
  const throws = tag('throws')
  // Removes references to documents that readers of the reference do not have.
  const said = commentText(doc)
    .replace(/(?:Contract \d[\d., and]*\.|Spec, "[^"]+"[.:])\s*/g, '')
    .trim()
  return {
    words: said.charAt(0).toUpperCase() + said.slice(1),
    example: commentText(tag('example')),
    throws:
      throws && ts.isJSDocThrowsTag(throws) && throws.typeExpression
        ? `\`${throws.typeExpression.type.getText()}\`: ${commentText(throws)}`
        : commentText(throws),
  }
}

/** @param {ts.JSDoc | ts.JSDocTag | undefined} node */
function commentText(node) {
  return ts.getTextOfJSDocComment(node?.comment)?.trim() ?? ''
}

/** @param {ts.Node} node */
function isExported(node) {
  return ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
}

/** @param {string} code */
function withoutExport(code) {
  return code.replace(/^export (async )?/, '')
}

/** @param {string} code */
function fence(code) {
  return `\`\`\`ts\n${code}\n\`\`\``
}

/** @param {string} file @param {ts.Expression} from */
function resolve(file, from) {
  const name = ts.isStringLiteral(from) ? from.text : ''
  return posix.join(posix.dirname(file), name).replace(/\.js$/, '.ts')
}

/** @param {string} file */
function parseSource(file) {
  return ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true)
}

/** @param {string} path */
function readOrNothing(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
