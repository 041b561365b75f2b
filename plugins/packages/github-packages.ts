/** Repositories, in lower case, from which jsDelivr serves what is a package at npm too. Source: `repository` of each package. */
export const GITHUB_PACKAGES: ReadonlyMap<string, string> = new Map([
  ['devicons/devicon', 'devicon'],
  ['fancyapps/fancybox', '@fancyapps/fancybox'],
  ['jdecked/twemoji', '@twemoji/api'],
  ['orestbida/cookieconsent', 'vanilla-cookieconsent'],
  ['twitter/twemoji', 'twemoji'],
])
