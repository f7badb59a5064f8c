"""The papers in the order of the debate, with their titles on the pages."""

PAPERS = {
    "jain-wallace": "Jain & Wallace 2019 (and Wiegreffe & Pinter 2019)",
    "serrano-smith": "Serrano & Smith 2019",
    "sun-lu": "Sun & Lu 2020",
    "meister": "Meister et al. 2021",
    "amini-kosseim": "Amini & Kosseim 2022",
}
