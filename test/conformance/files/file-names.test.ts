import { expect, test } from 'vitest'
import { filesOf, read, sendForm, upload } from '../../fixtures/files.js'
import { fileOf, textOf } from '../../fixtures/requests/form.js'
import { aWorld, expectFailure, inDialects } from '../../fixtures/wires.js'

inDialects('Names of files', (wire, { inTurn }) => {
  const names: readonly (readonly [sent: string, kept: string])[] = [
    ['../../x', 'x'],
    ['..\\..\\x.png', 'x.png'],
    ['C:\\fakepath\\photo.jpg', 'photo.jpg'],
    ['/etc/passwd', 'passwd'],
    ['a b+c&d?e#f%2e.txt', 'a b+c&d?e#f%2e.txt'],
    ["”quoted\" 'name'.txt", "”quoted\" 'name'.txt"],
    ['𝓊𝓃𝒾 日本語 ä.txt', '𝓊𝓃𝒾 日本語 ä.txt'],
    ['...', '...'],
    ['.env', '.env'],
    ['CON', 'CON'],
    ['a'.repeat(255), 'a'.repeat(255)],
    ['cod\u202egnp.exe', 'cod\u202egnp.exe'],
    ['\u200f', '\u200f'],
  ]
  test.each(names)('contract 8.2 a file sent as %j is kept as %j, and read at its address', async (sent, kept) => {
    const { api } = await aWorld(wire)

    const file = await upload(wire, api, fileOf('file', 'bytes', sent))
    const answer = await read(file.url)
    const disposition = answer.headers['content-disposition'] ?? ''

    expect(file.name).toBe(kept)
    expect(file.url.endsWith(`/${file.id}/${encodeURIComponent(kept)}`)).toBe(true)
    expect([answer.status, answer.text]).toEqual([200, 'bytes'])
    // RFC 8187: no name can inject into the header, and none can reverse its text direction.
    expect(disposition).toMatch(/^(inline|attachment); filename="[^"\\]+"(; filename\*=UTF-8''[\w.~!#$&+^`|%-]+)?$/)
    expect(disposition).not.toContain('%E2%80%AE')
  })

  test.each(['.', '..', '/', 'a/..', 'tab\tbed', 'a'.repeat(256), 'ä'.repeat(150)])(
    'contract 8.2 a file cannot be called %j',
    async (sent) => {
      const world = await aWorld(wire)

      expectFailure(
        await sendForm(world.api, 'POST', '/storage/upload', [fileOf('file', 'x', sent)]),
        400,
        'INVALID_PATH',
      )

      expect(await filesOf(wire, world)).toEqual([])
    },
  )

  test('contract 8.2 a name with control characters or line ends in it is refused', async () => {
    const world = await aWorld(wire)

    for (const sent of ['a\0b.txt', 'a\u0001b.txt', 'a%0D%0Aset-cookie: x.txt']) {
      expect((await sendForm(world.api, 'POST', '/storage/upload', [fileOf('file', 'x', sent)])).status).toBe(400)
    }

    expect(await filesOf(wire, world)).toEqual([])
  })

  const folders: readonly (readonly [sent: string, kept: string])[] = [
    ['', ''],
    ['avatars/', 'avatars'],
    ['avatars', 'avatars'],
    ['a/b c/d.e_f-1', 'a/b c/d.e_f-1'],
    ['Bücher/日本', 'Bücher/日本'],
  ]
  test.each(folders)('contract 8.2 the folder %j is kept as %j', async (sent, kept) => {
    const { api } = await aWorld(wire)

    expect((await upload(wire, api, fileOf('file'), sent)).path).toBe(kept)
  })

  test.each(
    inTurn(['../x', 'a/../b', 'a//b', '/', '/a', 'a/./b', 'a\\b', 'a%b', 'a\0b', 'x'.repeat(1_001), 'a//', '..']),
  )('contract 8.2 the folder %j is 400 INVALID_PATH', async (sent) => {
    const world = await aWorld(wire)
    const parts = [textOf('path', sent), fileOf('file')]

    const answer = await sendForm(world.api, 'POST', '/storage/upload', parts)

    expectFailure(answer, 400, 'INVALID_PATH')
    expect(await filesOf(wire, world)).toEqual([])
  })
})
