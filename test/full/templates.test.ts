/** The templates, by the commands of their README, unchanged, once `npm install` has run. */
import { afterEach, expect, test } from 'vitest'
import { openTemplateApp, type TemplateApp } from '../fixtures/packages/template-app.js'

let app: TemplateApp | undefined

afterEach(() => app?.close())

const served = /Local:.*http:\/\/localhost:\d+/

test.each([
  ['node', ['npm start', 'npm test'], /1 notes\.[\s\S]*pass 2\b/, []],
  ['web', ['npm start'], /^http:\/\/127\.0\.0\.1:\d+\n$/m, []],
  ['react', ['npm run dev'], served, ['vite', 'react', 'react-dom']],
  ['chat', ['npm run dev'], served, ['vite']],
  ['kanban', ['npm run dev'], served, ['vite', 'react', 'react-dom']],
  ['next', ['npm run dev'], served, ['next', 'react', 'react-dom']],
  ['svelte', ['npm run dev'], served, ['vite', 'svelte', '@sveltejs/vite-plugin-svelte']],
  ['vue', ['npm run dev'], served, ['vite', 'vue', '@vitejs/plugin-vue']],
])('the README of the template "%s" runs to the letter', async (template, lines, said, linked) => {
  app = await openTemplateApp(template, linked)
  expect(app.lines).toEqual(['npm install', 'npx svc dev', ...lines])

  await app.type('npx svc dev').until(/\.env\.local has this address and key/)
  let output = ''
  for (const line of lines) output += await app.type(line).until(said, true)

  expect(output).toMatch(said)
})
