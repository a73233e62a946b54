import { expect, it } from 'vitest'
import { calledAs } from './called-as.js'

const cwd = '/home/ada/app/packages/web'
const local = '/home/ada/app/node_modules/.bin/svc'

it.each<[what: string, start: Parameters<typeof calledAs>[0], words: string]>([
  ['npx, with the package of the app', { script: local, userAgent: 'npm/10.8.2 node/v20.20.2 linux x64' }, 'npx svc'],
  ['its path in the app', { script: local, userAgent: undefined }, 'npx svc'],
  [
    'pnpm exec, whose packages are elsewhere in the app',
    {
      script: '/home/ada/app/node_modules/.pnpm/svc-toolkit@0.1.0/node_modules/svc-toolkit/cli/bin/run.js',
      userAgent: 'pnpm/9.1.0 npm/? node/v20.20.2',
    },
    'pnpm exec svc',
  ],
  ['yarn', { script: local, userAgent: 'yarn/4.1.0 npm/? node/v20.20.2' }, 'yarn svc'],
  [
    'yarn, whose packages are archives, those with peers by a path that is virtual',
    {
      script:
        '/home/ada/app/.yarn/__virtual__/svc-toolkit-virtual-38b1/2/home/ada/.yarn/berry/cache/svc-toolkit-npm-0.1.0-10c0.zip/node_modules/svc-toolkit/cli/bin/run.js',
      userAgent: 'yarn/4.18.1 npm/? node/v20.20.2 linux x64',
      yarnProject: '/home/ada/app',
    },
    'yarn svc',
  ],
  [
    'yarn, whose packages are archives in the app',
    {
      script: '/home/ada/app/.yarn/cache/svc-toolkit-npm-0.1.0-8b47.zip/node_modules/svc-toolkit/cli/bin/run.js',
      userAgent: 'yarn/3.8.7 npm/? node/v20.20.2 linux x64',
      yarnProject: '/home/ada/app',
    },
    'yarn svc',
  ],
  [
    'yarn, which unpacked it',
    { script: '/home/ada/app/.yarn/unplugged/svc-toolkit-npm-0.1.0-8b47/node_modules/svc-toolkit/cli/bin/run.js' },
    'yarn svc',
  ],
  [
    'yarn dlx, which fetched it',
    {
      script: '/home/ada/.yarn/berry/cache/svc-toolkit-npm-0.1.0-10c0.zip/node_modules/svc-toolkit/cli/bin/run.js',
      userAgent: 'yarn/4.18.1 npm/? node/v20.20.2 linux x64',
      yarnProject: '/tmp/xfs-0a1b2c3d/dlx-4711',
    },
    'yarn dlx svc-toolkit',
  ],
  ['bunx', { script: local, userAgent: 'bun/1.1.0 npm/? node/v20.20.2' }, 'bunx --no-install svc'],
  [
    'npx, which fetched it',
    { script: '/home/ada/.npm/_npx/0a1b/node_modules/.bin/svc', userAgent: 'npm/10.8.2' },
    'npx svc-toolkit',
  ],
  [
    'bunx, which fetched it',
    { script: '/tmp/bunx-0-svc-toolkit@latest/node_modules/.bin/svc', userAgent: 'bun/1.4.5 npm/? node/v20.20.2' },
    'bunx svc-toolkit',
  ],
  [
    'pnpm dlx, which fetched it',
    { script: '/home/ada/.cache/pnpm/dlx-0a1b/node_modules/.bin/svc', userAgent: 'pnpm/9.1.0 npm/? node/v20.20.2' },
    'pnpm dlx svc-toolkit',
  ],
  ['its name, installed globally', { script: '/usr/local/bin/svc', userAgent: undefined }, 'svc'],
  ['its name, in a script of the app', { script: '/usr/local/bin/svc', userAgent: 'npm/10.8.2' }, 'svc'],
  [
    'its name, installed globally, as Windows starts it',
    { script: '/home/ada/roaming/npm/node_modules/svc-toolkit/cli/bin/run.js', userAgent: undefined },
    'svc',
  ],
  ['npm start of the source tree', { script: '/work/svc/cli/bin/run.js', userAgent: 'npm/10.8.2' }, 'npx svc'],
  ['its path in the source tree', { script: '/work/svc/cli/bin/run.js', userAgent: undefined }, 'svc'],
])('started by %s', (_, start, words) => {
  expect(calledAs({ cwd, ...start, userAgent: start?.userAgent ?? '' })).toBe(words)
})
