import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { bin, openWorld, type World } from '../command-line.js'

let world: World
let id: string

beforeAll(async () => {
  world = await openWorld()
  await world.useEmulator()
  await world.svc(['collections', 'create', 'posts', '--field', 'title:string!'])
})
beforeEach(async () => {
  const post = await world.json(['docs', 'create', 'posts', 'title=Hello', 'views:=1', 'tags:=["a"]'])
  id = (post as { id: string }).id
})
afterAll(() => world.close())

/** A script that edits the file as a user would. Answers the value of $EDITOR. */
function anEditor(script: string): string {
  const file = join(world.folder, `editor-${Math.random().toString(36).slice(2)}.sh`)
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}

/** Removes saved drafts, which would outlive the tests. */
const inWorld = (env: NodeJS.ProcessEnv) => ({ ...env, TMPDIR: world.folder })
const edit = (EDITOR: string, ...flags: string[]) =>
  world.svc(['docs', 'edit', 'posts', id, ...flags], { env: inWorld({ EDITOR }) })
const post = async () => (await world.json(['docs', 'get', 'posts', id])) as { data: unknown; version: number }
/** The file with the kept text, from the message. */
const keptFile = (stderr: string) => /Your text is saved in (\S+)/.exec(stderr)?.[1] ?? ''

test('what was saved in the editor becomes the document, and the difference is shown', async () => {
  const ran = await edit(anEditor(`echo '{"title":"Bye","tags":["a"]}' > "$1"`))

  expect(ran.exit).toBe(0)
  expect(ran.stderr).toContain('- title: "Hello"\n+ title: "Bye"\n- views: 1\n')
  expect(ran.stderr).not.toContain('tags')
  expect(await post()).toMatchObject({ data: { title: 'Bye', tags: ['a'] }, version: 2 })
  expect((await post()).data).not.toHaveProperty('views')
})

test('the editor may have flags of its own, and $VISUAL comes first', async () => {
  const editor = anEditor(`test "$1" = --wait && sed -i 's/Hello/Bye/' "$2"`)

  const ran = await world.svc(['docs', 'edit', 'posts', id], { env: { VISUAL: `${editor} --wait`, EDITOR: 'false' } })

  expect(ran.exit).toBe(0)
  expect(await post()).toMatchObject({ data: { title: 'Bye' } })
})

test('what was not changed is not written', async () => {
  const ran = await edit('true')

  expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining('No changes.') })
  expect(await post()).toMatchObject({ version: 1 })
})

test('when somebody else has changed it meanwhile, nothing is overwritten and the text is kept', async () => {
  const other = `'${process.execPath}' '${bin}' docs update posts ${id} title=Theirs --quiet`

  const ran = await edit(anEditor(`sed -i 's/Hello/Mine/' "$1"\n${other}`))

  expect(ran.exit).toBe(5)
  expect(await post()).toMatchObject({ data: { title: 'Theirs' } })
  expect(readFileSync(keptFile(ran.stderr), 'utf8')).toContain('Mine')
})

test('what the service refuses is kept in a file, with the reason', async () => {
  const ran = await edit(anEditor(`sed -i 's/"Hello"/5/' "$1"`))

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringMatching(/title/) })
  expect(readFileSync(keptFile(ran.stderr), 'utf8')).toContain('"title": 5')
  expect(await post()).toMatchObject({ version: 1 })
})

test('text that is not JSON is kept in a file without a terminal', async () => {
  const ran = await edit(anEditor(`echo oops > "$1"`))

  expect(ran).toMatchObject({ exit: 5, stderr: expect.stringContaining('The text is not valid JSON') })
  expect(readFileSync(keptFile(ran.stderr), 'utf8')).toBe('oops\n')
})

test('at a terminal text that is not JSON can be edited again, and saving asks', async () => {
  const twice = anEditor(`if grep -q oops "$1"; then echo '{"title":"Mended"}' > "$1"; else echo oops > "$1"; fi`)

  const ran = await world.terminal(
    ['docs', 'edit', 'posts', id],
    [
      ['Edit it again?', 'y\n'],
      ['Save document "', 'y\n'],
    ],
    { env: inWorld({ EDITOR: twice }) },
  )

  expect(ran.exit).toBe(0)
  expect((await post()).data).toEqual({ title: 'Mended' })
})

test('a no before saving changes nothing, and loses nothing that was written', async () => {
  const ran = await world.terminal(['docs', 'edit', 'posts', id], [['Save document "', 'n\n']], {
    env: inWorld({ EDITOR: anEditor(`sed -i 's/Hello/Bye/' "$1"`) }),
  })

  expect(ran.exit).toBe(130)
  expect(await post()).toMatchObject({ version: 1 })
  expect(readFileSync(keptFile(ran.stdout), 'utf8')).toContain('Bye')
})

test('Ctrl-C in the editor is the editor’s: what it saves then is saved', async () => {
  const editor = anEditor(`trap 'sed -i s/Hello/Bye/ "$1"; exit 0' INT\necho ready\nwhile :; do sleep 0.1; done`)

  const ran = await world.terminal(
    ['docs', 'edit', 'posts', id],
    [
      ['ready', '\x03'],
      ['Save document "', 'y\n'],
    ],
    { env: inWorld({ EDITOR: editor }) },
  )

  expect(ran.exit).toBe(0)
  expect((await post()).data).toMatchObject({ title: 'Bye' })
})

test('an editor that Ctrl-C ends loses nothing that was written', async () => {
  const editor = anEditor(`sed -i s/Hello/Bye/ "$1"\necho ready\nexec sleep 1000`)

  const ran = await world.terminal(['docs', 'edit', 'posts', id], [['ready', '\x03']], {
    env: inWorld({ EDITOR: editor }),
  })

  expect(ran).toMatchObject({ exit: 130, stdout: expect.stringContaining('exited with 130; nothing was saved') })
  expect(readFileSync(keptFile(ran.stdout), 'utf8')).toContain('Bye')
  expect(await post()).toMatchObject({ version: 1 })
})

test('Ctrl-C where it could be mended loses nothing that was written', async () => {
  const ran = await world.terminal(['docs', 'edit', 'posts', id], [['Edit it again?', '\x03']], {
    env: inWorld({ EDITOR: anEditor(`printf 'oo\\nps' > "$1"`) }),
  })

  expect(ran.exit).toBe(130)
  expect(readFileSync(keptFile(ran.stdout), 'utf8')).toBe('oo\nps')
})

test('a long difference takes no more than a line of the terminal', async () => {
  const { stdout } = await world.terminal(['docs', 'edit', 'posts', id], [['Save document "', 'n\n']], {
    env: inWorld({ EDITOR: anEditor(`sed -i 's/Hello/Bye ${'x'.repeat(200)}/' "$1"`) }),
    columns: 80,
  })

  const line = stdout.split('\n').find((one) => one.startsWith('+ title'))
  expect(line).toMatch(/^.{79}…$/u)
})

test('an editor that fails saves nothing, and what was written is kept in a file', async () => {
  const failed = await edit(anEditor(`sed -i 's/Hello/Bye/' "$1"\nexit 3`))

  expect(failed).toMatchObject({ exit: 1, stderr: expect.stringContaining('exited with 3; nothing was saved') })
  expect(readFileSync(keptFile(failed.stderr), 'utf8')).toContain('Bye')
  expect(await post()).toMatchObject({ version: 1 })
})

test('an editor that is not there is named, and one that ends before a change leaves no file', async () => {
  const remembered = join(world.folder, 'given-up-file')

  const missing = await edit('no-such-editor')
  const givenUp = await edit(anEditor(`echo "$1" > ${remembered}; exit 1`))

  expect(missing).toMatchObject({ exit: 1, stderr: expect.stringContaining('"no-such-editor" could not be started') })
  expect(givenUp.exit).toBe(1)
  expect(existsSync(dirname(readFileSync(remembered, 'utf8').trim()))).toBe(false)
})

test('the file that was edited is gone once it is saved', async () => {
  const remembered = join(world.folder, 'edited-file')

  await edit(anEditor(`echo "$1" > ${remembered}; sed -i 's/Hello/Bye/' "$1"`))

  expect(existsSync(dirname(readFileSync(remembered, 'utf8').trim()))).toBe(false)
})

test.each([{}, { EDITOR: '' }, { EDITOR: 'vim' }, { VISUAL: '/usr/bin/nano -w' }])(
  'without a terminal, %j is refused before anything is asked for, with what to do instead',
  async (env) => {
    const ran = await world.svc(['docs', 'edit', 'posts', id], { env: inWorld(env) })

    expect(ran).toMatchObject({ exit: 2, stdout: '' })
    expect(ran.stderr).toContain('needs a terminal.')
    expect(ran.stderr).toContain(`svc docs update posts ${id} field=value`)
  },
)

test('what an editor prints does not stand in the result, and its path may hold spaces', async () => {
  const editor = anEditor(`echo drawn; sed -i 's/Hello/Bye/' "$1"`)
  mkdirSync(join(world.folder, 'my tools'), { recursive: true })
  renameSync(editor, join(world.folder, 'my tools', 'ed'))

  const ran = await edit(`"${join(world.folder, 'my tools', 'ed')}"`, '--json')

  expect(JSON.parse(ran.stdout)).toMatchObject({ data: { title: 'Bye' } })
  expect(ran.stderr).toContain('drawn')
})

test('where there is nothing but a terminal, the editor is vi', async () => {
  const folder = join(world.folder, 'tools')
  mkdirSync(folder, { recursive: true })
  renameSync(anEditor(`sed -i 's/Hello/Bye/' "$1"`), join(folder, 'vi'))

  const ran = await world.terminal(['docs', 'edit', 'posts', id], [['Save document "', 'y\n']], {
    env: inWorld({ PATH: `${folder}:${process.env.PATH}` }),
  })

  expect(ran.exit).toBe(0)
  expect((await post()).data).toMatchObject({ title: 'Bye' })
})
