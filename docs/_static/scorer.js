/* Search results: pages of use first, then the reference, then evidence and proofs. */
var Scorer = {
  score: ([page, , , , score]) =>
    score
    + (/^(index|install|faq|formulas|tutorials|guides)/.test(page) ? 10 : 0)
    + (/^notebooks/.test(page) ? 8 : 0)
    - (/^(papers|proofs|contest|dossier|museum|decisions|architecture)/.test(page) ? 10 : 0),
  objNameMatch: 6, objPartialMatch: 3, objPrio: { 0: 10, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
